;;; definitions
(preproc_include) @import
(using_declaration) @import
(namespace_alias_definition) @import
(namespace_definition name: (_) @name) @definition.module
(class_specifier name: (_) @name body: (_)) @definition.class
(_ (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)) @of
(template_declaration parameters: (template_parameter_list
  (type_parameter_declaration (type_identifier) @generic)) (_) @of)
(alias_declaration name: (type_identifier) @name type: (_) @type) @definition.type
(preproc_def name: (identifier) @name value: (_)) @definition.variable
(preproc_function_def name: (identifier) @name) @definition.function
(function_definition declarator: [
  (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name)
  (reference_declarator (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name))
  (pointer_declarator declarator: (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name))
  (pointer_declarator (pointer_declarator (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name)))
]) @definition.function
(function_definition type: (_) @type) @of
(declaration declarator: [
  (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name)
  (reference_declarator (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name))
  (pointer_declarator declarator: (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name))
]) @definition.prototype
(field_declaration declarator: [
  (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name)
  (reference_declarator (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name))
  (pointer_declarator declarator: (function_declarator declarator: [
    (identifier) (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
  ] @name))
]) @definition.prototype
(declaration type: (_) @type) @of
(field_declaration type: (_) @type) @of
(declaration declarator: [
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
(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (field_identifier) @name)
  (pointer_declarator (pointer_declarator declarator: (field_identifier) @name))
  (reference_declarator (field_identifier) @name)
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
[(compound_statement) (for_statement) (while_statement) (if_statement)
 (for_range_loop) (lambda_expression) (catch_clause) (namespace_definition)] @block
[(preproc_include) (using_declaration) (namespace_alias_definition) (base_class_clause) (preproc_params)] @barren
(preproc_def name: (identifier) @skip)
(preproc_function_def name: (identifier) @skip)
(function_declarator declarator: [(identifier) (qualified_identifier)] @skip)
(enumerator name: (identifier) @skip)
(labeled_statement (statement_identifier) @skip)
(field_designator) @barren
(parameter_declaration type: (_) @type declarator: [
  (reference_declarator (identifier) @name)
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator (pointer_declarator declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (identifier) @name)))
]) @bind
(declaration type: (_) @type declarator: [
  (reference_declarator (identifier) @name)
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator (pointer_declarator declarator: (identifier) @name))
  (pointer_declarator (array_declarator declarator: (identifier) @name))
]) @bind
(declaration type: (_) @type declarator: (init_declarator declarator: [
  (reference_declarator (identifier) @name)
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator (pointer_declarator declarator: (identifier) @name))
  (pointer_declarator (array_declarator declarator: (identifier) @name))
] value: (_) @value)) @bind
(optional_parameter_declaration type: (_) @type declarator: [
  (identifier) @name
  (reference_declarator (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
]) @bind
(for_range_loop type: (_) @type declarator: [
  (identifier) @name
  (reference_declarator (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
] right: (_) @value) @each
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type
  declarator: [(identifier) (init_declarator value: [(argument_list) (initializer_list)])]) @new
(field_initializer . (_) @name) @call
(call_expression function: (identifier) @name) @call
(call_expression function: (qualified_identifier) @name) @call
(call_expression function: (template_function) @name) @call
(call_expression function: (template_function name: (identifier) @_cast
  arguments: (template_argument_list . (_) @type .))
  (#any-of? @_cast "static_cast" "dynamic_cast" "reinterpret_cast" "const_cast")) @cast
(call_expression function: (template_function name: (identifier) @_make
  arguments: (template_argument_list . (_) @type))
  (#any-of? @_make "make_unique" "make_shared")) @new
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @_make
  arguments: (template_argument_list . (_) @type)))
  (#any-of? @_make "make_unique" "make_shared")) @new
(new_expression type: (_) @type) @new
(compound_literal_expression type: (_) @type) @new
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
(this) @self
(qualified_identifier) @read
(qualified_identifier (_) @skip)
(template_function) @read
(identifier) @read
(type_identifier) @mention
