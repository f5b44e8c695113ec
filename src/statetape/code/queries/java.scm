;;; definitions
(package_declaration (_) @package)
(import_declaration) @import
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.enum
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(class_declaration superclass: (superclass (_) @base)) @of
(class_declaration interfaces: (super_interfaces (type_list (_) @base))) @of
(record_declaration interfaces: (super_interfaces (type_list (_) @base))) @of
(enum_declaration interfaces: (super_interfaces (type_list (_) @base))) @of
(interface_declaration (extends_interfaces (type_list (_) @base))) @of
(_ type_parameters: (type_parameters
  (type_parameter . (type_identifier) @generic (type_bound . (_) @bound)?))) @of
(method_declaration type: (_) @type name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration type: (_) @type name: (identifier) @name) @definition.method
(field_declaration type: (_) @type
  declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration type: (_) @type
  declarator: (variable_declarator name: (identifier) @name)) @definition.field
(record_declaration parameters: (formal_parameters
  (formal_parameter type: (_) @type name: (identifier) @name) @definition.field))
(enum_declaration name: (identifier) @type
  body: (enum_body (enum_constant name: (identifier) @name) @definition.field))
;;; uses
[(block) (lambda_expression) (for_statement) (enhanced_for_statement) (catch_clause)
 (try_with_resources_statement) (switch_block) (constructor_body)] @block
[(package_declaration) (import_declaration) (marker_annotation)] @barren
(_ name: (identifier) @skip)
[(break_statement (identifier) @skip) (continue_statement (identifier) @skip)
 (labeled_statement . (identifier) @skip) (annotation name: (_) @skip)]
(formal_parameter type: (_) @type name: (identifier) @name) @bind
(spread_parameter (_) @type (variable_declarator name: (identifier) @name)) @bind
(inferred_parameters (identifier) @name) @bind
(lambda_expression parameters: (identifier) @name) @bind
(catch_formal_parameter (catch_type . (_) @type) name: (identifier) @name) @bind
(local_variable_declaration type: (_) @type
  declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @bind
(resource type: (_) @type name: (identifier) @name value: (_) @value) @bind
(enhanced_for_statement type: (_) @type name: (identifier) @name value: (_) @value) @each
(instanceof_expression right: (_) @type name: (identifier) @name) @bind
(type_pattern (_) @type (identifier) @name) @bind
(assignment_expression left: (identifier) @name right: (_) @value) @assign
(method_invocation object: (_) @receiver name: (identifier) @name) @call
(method_invocation !object name: (identifier) @name) @call
(method_reference . (_) @receiver (identifier) @name .) @call
(method_reference . (_) @type "new") @new
(explicit_constructor_invocation constructor: (_) @receiver) @init
(object_creation_expression type: (_) @type) @new
(field_access object: (_) @receiver field: (identifier) @name) @member
(this) @self
(super) @super
(parenthesized_expression (_) @value) @through
(assignment_expression right: (_) @value) @through
(ternary_expression consequence: (_) @value alternative: (_) @value) @through
(cast_expression type: (_) @type) @cast
(array_access array: (_) @receiver) @element
[(string_literal) (character_literal) (decimal_integer_literal) (true) (false)] @literal
(identifier) @read
