;;; definitions
(preproc_include) @import
(preproc_def name: (identifier) @name value: (_)) @definition.variable
(preproc_function_def name: (identifier) @name) @definition.function
(function_definition type: (_) @type declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator (pointer_declarator (function_declarator declarator: (identifier) @name)))
]) @definition.function
(declaration type: (_) @type declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator (pointer_declarator (function_declarator declarator: (identifier) @name)))
]) @definition.prototype
(declaration type: (_) @type declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator (array_declarator declarator: (identifier) @name))
  (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator (array_declarator declarator: (identifier) @name))
  ])
]) @definition.variable
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(field_declaration type: (_) @type declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (field_identifier) @name)
  (pointer_declarator (pointer_declarator declarator: (field_identifier) @name))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (field_identifier) @name)))
]) @definition.field
(type_definition type: (_ !body) @type declarator: (type_identifier) @name) @definition.type
(type_definition type: (_ !body) @type
  declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition type: (_ !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (_ name: (_) @type body: (_))
  declarator: (type_identifier) @name @definition.type)
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
;;; uses
[(compound_statement) (for_statement) (while_statement) (if_statement)] @block
[(preproc_include) (preproc_params)] @barren
(preproc_def name: (identifier) @skip)
(preproc_function_def name: (identifier) @skip)
(function_declarator declarator: (identifier) @skip)
(enumerator name: (identifier) @skip)
(labeled_statement (statement_identifier) @skip)
(field_designator) @barren
(parameter_declaration type: (_) @type declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator (pointer_declarator declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (identifier) @name)))
]) @bind
(declaration type: (_) @type declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator (pointer_declarator declarator: (identifier) @name))
  (pointer_declarator (array_declarator declarator: (identifier) @name))
]) @bind
(declaration type: (_) @type declarator: (init_declarator declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator (pointer_declarator declarator: (identifier) @name))
  (pointer_declarator (array_declarator declarator: (identifier) @name))
] value: (_) @value)) @bind
(call_expression function: (identifier) @name) @call
(call_expression function: (field_expression argument: (_) @receiver
  field: (field_identifier) @name)) @call
(call_expression function: (field_expression) @skip)
(field_expression argument: (_) @receiver field: (field_identifier) @name) @member
[(parenthesized_expression (_) @value) (pointer_expression argument: (_) @value)
 (assignment_expression right: (_) @value)
 (conditional_expression consequence: (_) @value alternative: (_) @value)] @through
(cast_expression type: (_) @type) @cast
(subscript_expression argument: (_) @value) @through
[(string_literal) (number_literal) (char_literal)] @literal
(identifier) @read
(type_identifier) @mention
