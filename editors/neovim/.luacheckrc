std = "luajit"
globals = { "vim" } -- not read alone: options, variables and handlers are set
max_line_length = 120
