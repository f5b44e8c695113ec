;;; definitions
(package_header (qualified_identifier) @package)
(import) @import
(class_declaration "class" name: (identifier) @name) @definition.class
(class_declaration "interface" name: (identifier) @name) @definition.interface
(object_declaration name: (identifier) @name) @definition.class
(_ (delegation_specifiers (delegation_specifier (user_type) @base))) @of
(_ (delegation_specifiers
  (delegation_specifier (constructor_invocation (user_type) @base)))) @of
(_ (type_parameters (type_parameter . (identifier) @generic (_)? @bound))) @of
(function_declaration name: (identifier) @name) @definition.function
(function_declaration (user_type) @prefix . "." . name: (identifier)) @of
(function_declaration (nullable_type) @prefix . "." . name: (identifier)) @of
(function_declaration (function_value_parameters) . ":" . (_) @type) @of
(secondary_constructor "constructor" @name) @definition.function
(property_declaration (variable_declaration . (identifier) @name)) @definition.variable
(property_declaration (variable_declaration (identifier) . ":" . (_) @type)) @of
(property_declaration (user_type) @prefix . "." . (variable_declaration)) @of
(class_parameter ["val" "var"] (identifier) @name ":" . (_) @type) @definition.field
(class_declaration name: (identifier) @type
  (enum_class_body (enum_entry . (identifier) @name) @definition.field))
(type_alias type: (identifier) @name "=" (_) @type) @definition.type
;;; uses
[(block) (lambda_literal) (for_statement) (catch_block) (function_body) (anonymous_function)
 (when_entry)] @block
[(package_header) (import) (annotation) (type_parameters)] @barren
(_ name: (identifier) @skip)
(enum_entry . (identifier) @skip)
(class_parameter (identifier) @skip . ":")
(value_argument (identifier) @skip . "=")
(delegation_specifier (constructor_invocation (user_type) @type)) @new
(parameter (identifier) @name ":" . (_) @type) @bind
(class_parameter (identifier) @name ":" . (_) @type) @bind
(lambda_parameters (variable_declaration . (identifier) @name ":" . (_) @type)) @bind
(lambda_parameters (variable_declaration . (identifier) @name .)) @bind
(multi_variable_declaration (variable_declaration . (identifier) @name)) @bind
(property_declaration (variable_declaration (identifier) @name ":" . (_) @type) "=" (_) @value) @bind
(property_declaration (variable_declaration (identifier) @name ":" . (_) @type) .) @bind
(property_declaration (variable_declaration (identifier) @name .) "=" . (_) @value) @bind
(for_statement (variable_declaration . (identifier) @name .) "in" . (_) @value) @each
(for_statement (variable_declaration (identifier) @name ":" . (_) @type)) @bind
(catch_block (identifier) @name . ":" . (_) @type) @bind
(assignment left: (identifier) @name right: (_) @value) @assign
(call_expression . (identifier) @name) @call
(call_expression . (navigation_expression . (_) @receiver (identifier) @name .)) @call
(call_expression . (navigation_expression) @skip)
(navigation_expression . (_) @receiver (identifier) @name .) @member
(this_expression) @self
(super_expression) @super
(constructor_delegation_call "super" @receiver) @init
(constructor_delegation_call "this" @receiver) @init
(constructor_delegation_call "super" @super)
(constructor_delegation_call "this" @self)
[(parenthesized_expression (_) @value) (unary_expression (_) @value)] @through
(binary_expression . (_) @value "?:" (_) @value) @through
(as_expression right: (_) @type) @cast
(index_expression . (_) @receiver) @element
(return_expression (_) @value) @return
(function_declaration (function_body "=" . (_) @value)) @result
(property_declaration (variable_declaration) "=" . (_) @value) @result
(property_declaration (getter (function_body "=" . (_) @value))) @result
[(string_literal) (number_literal)] @literal
(callable_reference (identifier) @name .) @call
(identifier) @read
