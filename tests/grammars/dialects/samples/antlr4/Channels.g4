// A lexer and its parser in one file: channels, types, fragments, ranges and escapes of Java's.
lexer grammar ChannelsLexer;

channels { COMMENTS, BLANKS }
tokens { WORD }

LET     : 'let' ;
NUMBER  : DIGIT+ ('_' DIGIT+)* ;
NAME    : LETTER (LETTER | DIGIT | '_')* -> type(WORD) ;
QUOTED  : '`' ~[`\r\n]+ '`' -> type(WORD) ;
CHARS   : '\'' ( '\\' [nrt'\\] | '\u00e9'..'\u{00ff}' | ~('\'' | '\\' | '\n') )* '\'' ;
ASSIGN  : ':=' ;
END     : ';' ;
COMMENT : '/*' (COMMENT | .)*? '*/' -> channel(COMMENTS) ;
REMARK  : '//' ~[\r\n]* -> channel(HIDDEN) ;
SPACE   : [\p{White_Space}]+ -> channel(BLANKS) ;

fragment DIGIT  : '0'..'9' ;
fragment LETTER : [\p{L}] ;

parser grammar ChannelsParser;
options { tokenVocab = ChannelsLexer; }

program : (statement | junk)* EOF ;
statement : LET WORD ASSIGN value END ;
value : NUMBER | WORD | CHARS ;
junk : ~(LET | END)+? END ;
catch [RecognitionException e] { throw e; }
