;;; definitions
(call !receiver method: (identifier) @_require arguments: (argument_list (string))
  (#any-of? @_require "require" "require_relative" "load")) @import
(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.class
(class superclass: (superclass (_) @base)) @of
(_ body: (body_statement (call method: (identifier) @_mix
  arguments: (argument_list [(constant) (scope_resolution)] @mixin))
  (#any-of? @_mix "include" "extend"))) @of
(_ body: (body_statement (call method: (identifier) @_mix
  arguments: (argument_list [(constant) (scope_resolution)] @prepended))
  (#eq? @_mix "prepend"))) @of
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
(alias name: (_) @name) @definition.function
(call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_define "define_method" "alias_method")) @definition.function
(call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attribute "attr_accessor" "attr_reader" "attr_writer")) @definition.field
(assignment left: (constant) @name) @definition.variable
(assignment left: (instance_variable) @name) @attribute
(operator_assignment left: (instance_variable) @name) @attribute
;;; uses
[(block) (do_block) (lambda)] @block
(_ name: (identifier) @skip)
(_ name: (constant) @skip)
(class superclass: (_) @barren)
(alias alias: (_) @name) @call
(call method: (identifier) @_alias arguments: (argument_list (_) . (simple_symbol) @name)
  (#eq? @_alias "alias_method")) @call
(method_parameters (identifier) @name) @bind
(block_parameters (identifier) @name) @bind
(lambda_parameters (identifier) @name) @bind
(optional_parameter name: (identifier) @name value: (_) @value) @bind
(keyword_parameter name: (identifier) @name) @bind
(splat_parameter name: (identifier) @name) @bind
(hash_splat_parameter name: (identifier) @name) @bind
(block_parameter name: (identifier) @name) @bind
(destructured_parameter (identifier) @name) @bind
(exception_variable (identifier) @name) @bind
(left_assignment_list (identifier) @name) @bind
(for pattern: (identifier) @name) @bind
(assignment left: (identifier) @name right: (_) @value) @assign
(operator_assignment left: (identifier) @name right: (_) @value) @assign
(assignment left: (instance_variable) @name right: (_) @value) @attribute
(operator_assignment left: (instance_variable) @name right: (_) @value) @attribute
(assignment left: (constant) right: (_) @value) @result
(assignment left: (constant) @skip)
(call receiver: (_) @receiver method: (_) @name) @call
(call !receiver method: [(identifier) (constant)] @name) @call
(scope_resolution) @read
(scope_resolution (_) @skip)
(self) @self
(super) @parent
(instance_variable) @own
(parenthesized_statements (_) @value .) @through
(assignment right: (_) @value) @through
(operator_assignment right: (_) @value) @through
(binary left: (_) @value operator: "||" right: (_) @value) @through
(conditional consequence: (_) @value alternative: (_) @value) @through
(return (argument_list . (_) @value .)) @return
(method body: (body_statement (_) @value .)) @result
(method "=" body: (_) @value) @result
(singleton_method body: (body_statement (_) @value .)) @result
[(string) (integer) (float) (simple_symbol) (array) (hash) (true) (false) (nil) (regex)] @literal
(constant) @read
(identifier) @read
