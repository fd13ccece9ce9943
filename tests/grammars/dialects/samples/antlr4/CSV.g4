// After the CSV grammar of the collection grammars-v4; written anew.
grammar CSV;

csvFile: hdr row+ EOF ;
hdr : row ;

row : field (',' field)* '\r'? '\n' ;

field
    : TEXT
    | STRING
    |
    ;

TEXT : ~[,\n\r"]+ ;
STRING : '"' ('""'|~'"')* '"' ; // quote-quote is an escaped quote
