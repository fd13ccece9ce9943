/* After the Graphviz DOT grammar of the collection grammars-v4; written anew. */
grammar DOT;

options { caseInsensitive = true; }

graph      : STRICT? (GRAPH | DIGRAPH) id_? '{' stmt_list '}' EOF ;
stmt_list  : (stmt ';'?)* ;
stmt       : node_stmt | edge_stmt | attr_stmt | id_ '=' id_ | subgraph ;
attr_stmt  : (GRAPH | NODE | EDGE) attr_list ;
attr_list  : ('[' a_list? ']')+ ;
a_list     : (id_ ('=' id_)? (';' | ',')?)+ ;
edge_stmt  : (node_id | subgraph) edgeRHS attr_list? ;
edgeRHS    : (edgeop (node_id | subgraph))+ ;
edgeop     : '->' | '--' ;
node_stmt  : node_id attr_list? ;
node_id    : id_ port? ;
port       : ':' id_ (':' id_)? ;
subgraph   : (SUBGRAPH id_?)? '{' stmt_list '}' ;
id_        : ID | STRING | HTML_STRING | NUMBER ;

STRICT   : 'strict' ;
GRAPH    : 'graph' ;
DIGRAPH  : 'digraph' ;
NODE     : 'node' ;
EDGE     : 'edge' ;
SUBGRAPH : 'subgraph' ;

NUMBER : '-'? ('.' DIGIT+ | DIGIT+ ('.' DIGIT*)?) ;
fragment DIGIT : [0-9] ;

STRING : '"' ('\\"' | .)*? '"' ;

ID : LETTER (LETTER | DIGIT)* ;
fragment LETTER : [a-z\u0080-\u00FF_] ;

// nested tags, by recursion
HTML_STRING : '<' (TAG | ~[<>])* '>' ;
fragment TAG : '<' .*? '>' ;

COMMENT      : '/*' .*? '*/' -> skip ;
LINE_COMMENT : '//' .*? '\r'? '\n' -> skip ;
PREPROC      : '#' ~[\r\n]* -> skip ;
WS           : [ \t\n\r]+ -> skip ;
