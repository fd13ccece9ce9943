/* Protocol Buffers, version 3, after the language specification at protobuf.dev.
 *
 * proto2 files and editions are accepted too (labels, groups, extensions, edition, export and local): one grammar
 * serves every .proto file, and a check of which word belongs to which version is the compiler's business.
 * Any word may be a name: keywords of this language are not reserved.
 *
 * @name proto3
 * @language proto proto3
 * @files *.proto
 * @start proto
 */
grammar Protobuf;

proto
    : (syntax | edition)? topLevel*
    ;

syntax
    : 'syntax' '=' strings ';'
    ;

edition
    : 'edition' '=' strings ';'
    ;

topLevel
    : importStatement
    | packageStatement
    | option
    | message
    | enumeration
    | extend
    | service
    | ';'
    ;

importStatement
    : 'import' ('public' | 'weak' | 'option')? strings ';'
    ;

packageStatement
    : 'package' fullName ';'
    ;

// ---------------------------------------------------------------- options

option
    : 'option' optionName '=' optionValue ';'
    ;

// features.(pb.cpp).string_type, (google.api.http).body
optionName
    : optionPart ('.' optionPart)*
    ;

optionPart
    : NAME
    | '(' typeName ')'
    ;

optionValue
    : constant
    | textMessage
    ;

constant
    : fullName
    | sign? (INTEGER | FLOAT | NAME)
    | strings
    ;

sign
    : '-'
    | '+'
    ;

inlineOptions
    : '[' (inlineOption (',' inlineOption)*)? ']'
    ;

inlineOption
    : optionName '=' optionValue
    ;

// A value in the text format, as in option (google.api.http) = { get: "/v1/{name=books/*}" };
textMessage
    : '{' textField* '}'
    ;

textField
    : textName (':' textValue | ':'? textNested) (',' | ';')?
    ;

textName
    : NAME
    | '[' typeName ('/' fullName)? ']'
    ;

textNested
    : textMessage
    | '<' textField* '>'
    ;

textValue
    : constant
    | '[' (textItem (',' textItem)*)? ']'
    ;

textItem
    : constant
    | textNested
    ;

// ---------------------------------------------------------------- messages

message
    : visibility? 'message' NAME messageBody
    ;

visibility
    : 'export'
    | 'local'
    ;

messageBody
    : '{' messageItem* '}'
    ;

messageItem
    : field
    | mapField
    | group
    | oneof
    | message
    | enumeration
    | extend
    | extensions
    | reserved
    | option
    | ';'
    ;

field
    : label? fieldType NAME '=' INTEGER inlineOptions? ';'
    ;

label
    : 'optional'
    | 'repeated'
    | 'required'
    ;

fieldType
    : 'double'
    | 'float'
    | 'int32'
    | 'int64'
    | 'uint32'
    | 'uint64'
    | 'sint32'
    | 'sint64'
    | 'fixed32'
    | 'fixed64'
    | 'sfixed32'
    | 'sfixed64'
    | 'bool'
    | 'string'
    | 'bytes'
    | typeName
    ;

mapField
    : 'map' '<' fieldType ',' fieldType '>' NAME '=' INTEGER inlineOptions? ';'
    ;

group
    : label? 'group' NAME '=' INTEGER inlineOptions? messageBody
    ;

oneof
    : 'oneof' NAME '{' oneofItem* '}'
    ;

oneofItem
    : fieldType NAME '=' INTEGER inlineOptions? ';'
    | group
    | option
    | ';'
    ;

extend
    : 'extend' typeName '{' extendItem* '}'
    ;

extendItem
    : field
    | group
    | ';'
    ;

extensions
    : 'extensions' range (',' range)* inlineOptions? ';'
    ;

reserved
    : 'reserved' (range (',' range)* | strings (',' strings)* | NAME (',' NAME)*) ';'
    ;

range
    : number ('to' (number | 'max'))?
    ;

number
    : '-'? INTEGER
    ;

// ---------------------------------------------------------------- enumerations and services

enumeration
    : visibility? 'enum' NAME '{' enumItem* '}'
    ;

enumItem
    : NAME '=' number inlineOptions? ';'
    | option
    | reserved
    | ';'
    ;

service
    : 'service' NAME '{' serviceItem* '}'
    ;

serviceItem
    : rpc
    | option
    | ';'
    ;

rpc
    : 'rpc' NAME messageType 'returns' messageType (';' | '{' (option | ';')* '}' ';'?)
    ;

messageType
    : '(' 'stream'? typeName ')'
    ;

// ---------------------------------------------------------------- names and values

typeName
    : '.'? fullName
    ;

fullName
    : NAME ('.' NAME)*
    ;

// Adjacent strings are one string.
strings
    : STRING+
    ;

NAME
    : [A-Za-z_] [A-Za-z0-9_]*
    ;

INTEGER
    : [0-9]+
    | '0' [xX] [0-9A-Fa-f]+
    ;

FLOAT
    : [0-9]+ '.' [0-9]* EXPONENT? [fF]?
    | [0-9]+ EXPONENT [fF]?
    | [0-9]+ [fF]
    | '.' [0-9]+ EXPONENT? [fF]?
    ;

STRING
    : '"' (~["\\\n] | ESCAPE)* '"'
    | '\'' (~['\\\n] | ESCAPE)* '\''
    ;

fragment EXPONENT
    : [eE] [+\-]? [0-9]+
    ;

fragment ESCAPE
    : '\\' ~[\n]
    ;

BLANKS
    : [ \t\r\n\u000B\u000C\uFEFF]+ -> skip
    ;

LINE_COMMENT
    : '//' ~[\n]* -> channel(HIDDEN)
    ;

BLOCK_COMMENT
    : '/*' .*? '*/' -> channel(HIDDEN)
    ;
