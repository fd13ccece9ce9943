// After the calculator with labels of The Definitive ANTLR 4 Reference (chapter 4); written anew.
grammar LabeledExpr;

@header {
import java.util.*; // "a brace: }"
}

prog: stat+ EOF ;

stat:   expr NEWLINE                # printExpr
    |   ID '=' expr NEWLINE         # assign
    |   NEWLINE                     # blank
    ;

expr returns [int v]
    :   <assoc=right> a=expr op='^' b=expr  { $v = pow($a.v, $b.v); if ($v > 0) { log("}"); } }  # Power
    |   expr op=('*'|'/') expr      # MulDiv
    |   expr op=('+'|'-') expr      # AddSub
    |   INT                         # int
    |   {allowed()}? ID             # id
    |   '(' expr ')'                # parens
    ;

MUL :   '*' ; // names for the operators above
DIV :   '/' ;
ADD :   '+' ;
SUB :   '-' ;
ID  :   [a-zA-Z]+ ;
INT :   [0-9]+ ;
NEWLINE:'\r'? '\n' ;
WS  :   [ \t]+ -> skip ;
