;;; definitions
(namespace_definition name: (namespace_name) @package !body)
(namespace_definition name: (namespace_name) @package body: (_)) @package.block
(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression)
 (include_once_expression)] @import
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.class
(enum_declaration name: (name) @name) @definition.enum
(_ (base_clause (_) @base)) @of
(_ (class_interface_clause (_) @base)) @of
(_ body: (declaration_list (use_declaration [(name) (qualified_name)] @mixin))) @of
(function_definition name: (name) @name) @definition.function
(function_definition return_type: (_) @type) @of
(method_declaration name: (name) @name) @definition.method
(method_declaration return_type: (_) @type) @of
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(property_declaration type: (_) @type) @of
(property_promotion_parameter name: (variable_name (name) @name)) @definition.promoted
(property_promotion_parameter type: (_) @type) @of
(const_declaration (const_element . (name) @name)) @definition.variable
(enum_declaration name: (name) @type
  body: (_ (enum_case name: (name) @name) @definition.field))
(assignment_expression
  left: (member_access_expression object: (variable_name (name) @_this) name: (name) @name)
  (#eq? @_this "this")) @attribute
;;; uses
[(namespace_use_declaration) (attribute_list)] @barren
[(base_clause) (class_interface_clause) (use_declaration)] @barren
(namespace_definition name: (_) @barren)
(_ name: (name) @skip)
(const_element . (name) @skip)
(variable_name (name) @skip)
(named_type (_) @skip)
[(anonymous_function) (arrow_function)] @block
(simple_parameter type: (_)? @type name: (variable_name) @name) @bind
(property_promotion_parameter type: (_)? @type name: (variable_name) @name) @bind
(variadic_parameter name: (variable_name) @name) @bind
(catch_clause type: (_) @type name: (variable_name) @name) @bind
(foreach_statement . (_) @value (variable_name) @name) @each
(foreach_statement . (_) @value (pair (_) (variable_name) @name)) @each
(assignment_expression left: (variable_name) @name right: (_) @value) @assign
(list_literal (variable_name) @name) @assign
(assignment_expression
  left: (member_access_expression object: (variable_name (name) @_this) name: (name) @name)
  right: (_) @value
  (#eq? @_this "this")) @attribute
(function_call_expression function: [(name) (qualified_name) (relative_name)] @name) @call
(scoped_call_expression scope: (_) @receiver name: (name) @name) @call
(member_call_expression object: (_) @receiver name: (name) @name) @call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @name) @call
(object_creation_expression [(name) (qualified_name)] @type) @new
(member_access_expression object: (_) @receiver name: (name) @name) @member
(nullsafe_member_access_expression object: (_) @receiver name: (name) @name) @member
(class_constant_access_expression . (_) @receiver (name) @name .) @member
(scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @name)) @member
((variable_name (name) @_this) @self (#eq? @_this "this"))
((relative_scope) @self (#any-of? @self "self" "static"))
((relative_scope) @super (#eq? @super "parent"))
[(parenthesized_expression (_) @value) (clone_expression (_) @value)
 (assignment_expression right: (_) @value)
 (conditional_expression body: (_) @value alternative: (_) @value)] @through
(subscript_expression . (_) @receiver) @element
(return_statement (_) @value) @return
(arrow_function body: (_) @value) @result
[(string) (encapsed_string) (integer) (boolean) (array_creation_expression)] @literal
(variable_name) @read
(qualified_name) @read
(qualified_name (_) @skip)
(name) @read
