;;; definitions
(use_declaration) @import
(mod_item name: (identifier) @name body: (_)) @definition.module
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.interface
(trait_item bounds: (trait_bounds (_) @base)) @of
(impl_item type: (_) @name) @definition.extension
(impl_item trait: (_) @base) @of
(_ type_parameters: (type_parameters
  (type_parameter name: (type_identifier) @generic
    bounds: (trait_bounds . [(type_identifier) (scoped_type_identifier) (generic_type)] @bound)?))) @of
(_ (where_clause (where_predicate left: (type_identifier) @generic
  bounds: (trait_bounds . (_) @bound)))) @of
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(function_item return_type: (_) @type) @of
(function_signature_item return_type: (_) @type) @of
(macro_definition name: (identifier) @name) @definition.function
(const_item name: (identifier) @name type: (_) @type) @definition.variable
(static_item name: (identifier) @name type: (_) @type) @definition.variable
(type_item name: (type_identifier) @name type: (_) @type) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(field_declaration name: (field_identifier) @name type: (_) @type) @definition.field
(enum_item name: (type_identifier) @type
  body: (_ (enum_variant name: (identifier) @name) @definition.field))
;;; uses
[(block) (closure_expression) (if_expression) (for_expression) (while_expression) (match_arm)
 (impl_item) (mod_item)] @block
[(use_declaration) (attribute_item) (inner_attribute_item) (visibility_modifier)
 (macro_definition)] @barren
(_ name: (identifier) @skip)
(parameter pattern: (identifier) @name type: (_) @type) @bind
(parameter pattern: (mut_pattern (identifier) @name) type: (_) @type) @bind
(parameter pattern: (reference_pattern (identifier) @name) type: (_) @type) @bind
(closure_parameters (identifier) @name) @bind
(let_declaration pattern: (identifier) @name type: (_)? @type value: (_)? @value) @bind
(let_condition pattern: (tuple_struct_pattern (identifier) @name .) value: (_) @value) @bind
(let_declaration pattern: (tuple_struct_pattern (identifier) @name .) value: (_) @value) @bind
(let_condition pattern: (identifier) @name value: (_) @value) @bind
(tuple_pattern (identifier) @name) @bind
(tuple_struct_pattern type: (_) (identifier) @name) @bind
(slice_pattern (identifier) @name) @bind
(captured_pattern . (identifier) @name) @bind
(ref_pattern (identifier) @name) @bind
(mut_pattern (identifier) @name) @bind
(shorthand_field_identifier) @read
(field_pattern name: (shorthand_field_identifier) @name) @bind
(match_arm pattern: (match_pattern . (identifier) @name .) (#match? @name "^[a-z_]")) @bind
(for_expression pattern: (identifier) @name value: (_) @value) @each
(assignment_expression left: (identifier) @name right: (_) @value) @assign
(call_expression function: (identifier) @name) @call
(call_expression function: (scoped_identifier) @name) @call
(call_expression function: (generic_function function: (identifier) @name)) @call
(call_expression function: (generic_function function: (scoped_identifier) @name)) @call
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @name)) @call
(call_expression function: (generic_function
  function: (field_expression value: (_) @receiver field: (field_identifier) @name))) @call
(call_expression function: (field_expression) @skip)
(macro_invocation macro: (_) @name) @call
(token_tree (identifier) @name . (token_tree)) @token
(struct_expression name: (_) @type) @new
(field_initializer field: (_) @skip)
(field_expression value: (_) @receiver field: (field_identifier) @name) @member
(self) @self
[(parenthesized_expression (_) @value) (try_expression (_) @value) (await_expression (_) @value)
 (reference_expression value: (_) @value) (unary_expression (_) @value)] @through
(if_expression consequence: (block (_) @value .)
  alternative: (else_clause (block (_) @value .))) @through
(type_cast_expression type: (_) @type) @cast
(index_expression . (_) @receiver) @element
[(string_literal) (integer_literal) (boolean_literal) (char_literal) (float_literal)] @literal
(const_item value: (_) @value) @result
(scoped_identifier) @read
(scoped_identifier (_) @skip)
(identifier) @read
(type_identifier) @mention
(scoped_type_identifier) @mention
(scoped_type_identifier (_) @skip)
