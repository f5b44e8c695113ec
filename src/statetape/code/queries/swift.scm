;;; definitions
(class_declaration "class" name: (type_identifier) @name) @definition.class
(class_declaration "actor" name: (type_identifier) @name) @definition.class
(class_declaration "struct" name: (type_identifier) @name) @definition.struct
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
(class_declaration "extension" name: (_) @name) @definition.extension
(protocol_declaration name: (type_identifier) @name) @definition.interface
(_ (inheritance_specifier inherits_from: (_) @base)) @of
(_ (type_parameters (type_parameter . (type_identifier) @generic (user_type)? @bound))) @of
(typealias_declaration name: (type_identifier) @name name: (_) @type) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(function_declaration name: (simple_identifier) @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.function
(function_declaration "->" . (_) @type) @of
(protocol_function_declaration "->" . (_) @type) @of
(init_declaration "init" @name) @definition.function
(subscript_declaration "subscript" @name) @definition.function
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
(property_declaration (type_annotation (_) @type)) @of
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
(protocol_property_declaration (type_annotation (_) @type)) @of
(class_declaration name: (_) @type
  body: (_ (enum_entry name: (simple_identifier) @name) @definition.field))
;;; uses
[(function_body) (lambda_literal) (for_statement) (if_statement) (while_statement) (catch_block)
 (computed_property) (switch_entry) (statements)] @block
[(import_declaration) (attribute) (inheritance_specifier) (type_parameters)
 (type_constraints)] @barren
(_ name: (simple_identifier) @skip)
(_ external_name: (simple_identifier) @skip)
(value_argument_label (simple_identifier) @skip)
(parameter name: (simple_identifier) @name name: (_) @type) @bind
(lambda_parameter name: (simple_identifier) @name name: (_) @type) @bind
(lambda_parameter name: (simple_identifier) @name .) @bind
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)
  (type_annotation (_) @type) value: (_)? @value) @bind
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) .
  value: (_) @value) @bind
(property_declaration name: (pattern (pattern (simple_identifier) @name))) @bind
(if_statement bound_identifier: (simple_identifier) @name) @bind
(if_statement bound_identifier: (simple_identifier) @name . "=" . condition: (_) @value) @bind
(guard_statement bound_identifier: (simple_identifier) @name) @bind
(guard_statement bound_identifier: (simple_identifier) @name . "=" . condition: (_) @value) @bind
(for_statement item: (pattern bound_identifier: (simple_identifier) @name)
  collection: (_) @value) @each
(assignment target: (directly_assignable_expression . (simple_identifier) @name .)
  result: (_) @value) @assign
(call_expression . (simple_identifier) @name) @call
(call_expression . (navigation_expression target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @name))) @call
(call_expression . (navigation_expression) @skip)
(navigation_expression target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @name)) @member
(navigation_suffix (simple_identifier) @skip)
(self_expression) @self
(super_expression) @super
[(postfix_expression target: (_) @value) (tuple_expression . value: (_) @value .)
 (try_expression expr: (_) @value) (await_expression (_) @value)] @through
(ternary_expression if_true: (_) @value if_false: (_) @value) @through
(nil_coalescing_expression value: (_) @value if_nil: (_) @value) @through
(as_expression (as_operator) . (_) @type) @cast
(control_transfer_statement "return" result: (_) @value) @return
(property_declaration value: (_) @value) @result
[(line_string_literal) (integer_literal) (boolean_literal) (real_literal)] @literal
(simple_identifier) @read
(type_identifier) @mention
