;;; definitions
(command name: (command_name (word) @_source) (#any-of? @_source "source" ".")) @import
(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
(program (declaration_command . (variable_name) @name .) @definition.variable)
(if_statement (variable_assignment name: (variable_name) @name) @definition.variable)
(else_clause (variable_assignment name: (variable_name) @name) @definition.variable)
;;; uses
(command name: (command_name (word) @name)) @call
(command name: (command_name (word) @_trap) . argument: (word) @name
  (#any-of? @_trap "trap" "exec" "eval" "command" "time" "xargs")) @call
(declaration_command ["local" "typeset"] (variable_assignment name: (variable_name) @name)) @bind
(declaration_command ["local" "typeset"] (variable_name) @name) @bind
(for_statement variable: (variable_name) @name) @bind
(variable_assignment name: (variable_name) @skip)
(variable_name) @read
