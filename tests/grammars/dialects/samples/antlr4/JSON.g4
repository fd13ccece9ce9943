/** After the JSON grammar of the collection grammars-v4; written anew. */
grammar JSON;

json : value EOF ;

obj
    : '{' pair (',' pair)* '}'
    | '{' '}'
    ;

pair : STRING ':' value ;

arr
    : '[' value (',' value)* ']'
    | '[' ']'
    ;

value
    : STRING
    | NUMBER
    | obj
    | arr
    | 'true'
    | 'false'
    | 'null'
    ;

STRING : '"' (ESC | SAFECODEPOINT)* '"' ;

fragment ESC : '\\' (["\\/bfnrt] | UNICODE) ;
fragment UNICODE : 'u' HEX HEX HEX HEX ;
fragment HEX : [0-9a-fA-F] ;
fragment SAFECODEPOINT : ~ ["\\\u0000-\u001F] ;

NUMBER : '-'? INT ('.' [0-9]+)? EXP? ;

fragment INT
    // integer part forbids leading 0s
    : '0' | [1-9] [0-9]*
    ;

fragment EXP : [Ee] [+-]? [0-9]+ ;

WS : [ \t\n\r]+ -> skip ;
