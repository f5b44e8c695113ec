;;; definitions
(file_scoped_namespace_declaration name: (_) @package)
(namespace_declaration name: (_) @package) @package.block
(using_directive) @import
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(enum_declaration name: (identifier) @name) @definition.enum
(interface_declaration name: (identifier) @name) @definition.interface
(delegate_declaration type: (_) @type name: (identifier) @name) @definition.type
(_ (base_list (_) @base)) @of
(_ (type_parameter_list (type_parameter name: (identifier) @generic))) @of
(_ (type_parameter_constraints_clause . (identifier) @generic
  (type_parameter_constraint type: (_) @bound))) @of
(method_declaration returns: (_) @type name: (identifier) @name) @definition.method
(method_declaration parameters: (parameter_list
  . (parameter (modifier) @_this type: (_) @receiver)) (#eq? @_this "this")) @of
(constructor_declaration name: (identifier) @name) @definition.method
(local_function_statement type: (_) @type name: (identifier) @name) @definition.function
(property_declaration type: (_) @type name: (identifier) @name) @definition.field
(indexer_declaration type: (_) @type "this" @name) @definition.method
(field_declaration (variable_declaration type: (_) @type
  (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration (variable_declaration type: (_) @type
  (variable_declarator name: (identifier) @name))) @definition.field
(record_declaration (parameter_list
  (parameter type: (_) @type name: (identifier) @name) @definition.field))
(enum_declaration name: (identifier) @type
  body: (_ (enum_member_declaration name: (identifier) @name) @definition.field))
;;; uses
[(block) (lambda_expression) (for_statement) (foreach_statement) (catch_clause) (using_statement)
 (switch_section) (local_function_statement)] @block
[(using_directive) (attribute_list) (base_list) (type_parameter_list)
 (type_parameter_constraints_clause)] @barren
(_ name: (identifier) @skip)
(file_scoped_namespace_declaration name: (_) @barren)
(namespace_declaration name: (_) @barren)
(parameter type: (_) @type name: (identifier) @name) @bind
(lambda_expression parameters: (implicit_parameter) @name) @bind
(implicit_parameter) @skip
(parameter !type name: (identifier) @name) @bind
(local_declaration_statement (variable_declaration type: (_) @type
  (variable_declarator . name: (identifier) @name (_)? @value))) @bind
(using_statement (variable_declaration type: (_) @type
  (variable_declarator . name: (identifier) @name (_)? @value))) @bind
(for_statement (variable_declaration type: (_) @type
  (variable_declarator . name: (identifier) @name (_)? @value))) @bind
(foreach_statement type: (_) @type left: (identifier) @name right: (_) @value) @each
(catch_declaration type: (_) @type name: (identifier) @name) @bind
(declaration_pattern type: (_) @type name: (identifier) @name) @bind
(declaration_expression type: (_) @type name: (identifier) @name) @bind
(assignment_expression left: (identifier) @name right: (_) @value) @assign
(invocation_expression function: (identifier) @name) @call
(invocation_expression function: (generic_name . (identifier) @name)) @call
(invocation_expression function: (member_access_expression
  expression: (_) @receiver name: (identifier) @name)) @call
(invocation_expression function: (member_access_expression
  expression: (_) @receiver name: (generic_name . (identifier) @name))) @call
(invocation_expression function: (member_access_expression
  expression: ["this" "base"] @receiver name: (identifier) @name)) @call
(member_access_expression expression: ["this" "base"] @receiver name: (identifier) @name) @member
(invocation_expression function: (conditional_access_expression
  condition: (_) @receiver (member_binding_expression name: (identifier) @name))) @call
(invocation_expression function: (_) @skip)
(object_creation_expression type: (_) @type) @new
(variable_declaration type: (_) @type
  (variable_declarator (implicit_object_creation_expression) @new))
(constructor_initializer "base" @receiver) @init
(constructor_initializer "this" @receiver) @init
(member_access_expression expression: (_) @receiver name: (identifier) @name) @member
(conditional_access_expression
  condition: (_) @receiver (member_binding_expression name: (identifier) @name)) @member
"this" @self
"base" @super
[(parenthesized_expression (_) @value) (await_expression (_) @value)
 (assignment_expression right: (_) @value)
 (conditional_expression consequence: (_) @value alternative: (_) @value)] @through
(cast_expression type: (_) @type) @cast
(as_expression right: (_) @type) @cast
(element_access_expression expression: (_) @receiver) @element
[(string_literal) (integer_literal) (boolean_literal) (character_literal)
 (interpolated_string_expression)] @literal
(identifier) @read
