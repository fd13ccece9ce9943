--- The options, and what is wrong with those that a user gives.

local M = {}

---@class draftwire.Options
---@field enabled? boolean
---@field auto? boolean suggest while typing; false: only when asked to
---@field command? string|string[] the `draftwire` program, with arguments if need be
---@field display? "plugin"|"core" who draws: this plugin, or Neovim's own inline completion (0.12)
---@field settings? table<string, any> of the daemon, for this editor alone; see docs/configuration.md
---@field filetypes? table<string, boolean> by filetype; "*" for all others
---@field exclude? string[] globs of files where nothing is suggested
---@field max_file_bytes? integer nothing is suggested in larger files; 0: no limit
---@field hide_with_menu? boolean hide suggestions while the popup menu is open
---@field counter? boolean show "2/3" beside one of several suggestions
---@field log_level? "error"|"warning"|"info"|"debug" of the bridge

---@class draftwire.Config
---@field enabled boolean
---@field auto boolean
---@field command? string|string[]
---@field display "plugin"|"core"
---@field settings table<string, any>
---@field filetypes table<string, boolean>
---@field exclude string[]
---@field max_file_bytes integer
---@field hide_with_menu boolean
---@field counter boolean
---@field log_level string
local defaults = {
  enabled = true,
  auto = true,
  command = nil,
  display = "plugin",
  settings = {},
  filetypes = { ["*"] = true, help = false, gitcommit = false, gitrebase = false },
  exclude = {},
  max_file_bytes = 1048576,
  hide_with_menu = true,
  counter = true,
  log_level = "warning",
}

---@param values string[]
---@return fun(value: any): boolean, string
local function one_of(values)
  return function(value)
    return vim.tbl_contains(values, value), 'one of "' .. table.concat(values, '", "') .. '"'
  end
end

---@param kind string
---@param what string
---@return fun(value: any): boolean, string
local function list_of(kind, what)
  return function(value)
    local right = type(value) == "table" and vim.islist(value)
    for _, one in ipairs(right and value or {}) do
      right = right and type(one) == kind
    end
    return right, what
  end
end

---@param kind string
---@param what string
---@return fun(value: any): boolean, string
local function is(kind, what)
  return function(value)
    return type(value) == kind, what
  end
end

---@type table<string, fun(value: any): boolean, string>
local checks = {
  enabled = is("boolean", "true or false"),
  auto = is("boolean", "true or false"),
  command = function(value)
    local right = type(value) == "string" and value ~= ""
    right = right or (list_of("string", "")(value) and #value > 0)
    return right, 'a program, or a list such as { "python", "-m", "draftwire" }'
  end,
  display = one_of({ "plugin", "core" }),
  settings = is("table", "a table by the names of docs/configuration.md"),
  filetypes = function(value)
    local right = type(value) == "table"
    for name, allowed in pairs(right and value or {}) do
      right = right and type(name) == "string" and type(allowed) == "boolean"
    end
    return right, "a table such as { markdown = false }"
  end,
  exclude = list_of("string", 'a list of globs such as { "*.csv", "**/secret/**" }'),
  max_file_bytes = function(value)
    return type(value) == "number" and value >= 0 and value % 1 == 0, "a number of bytes, or 0"
  end,
  hide_with_menu = is("boolean", "true or false"),
  counter = is("boolean", "true or false"),
  log_level = one_of({ "error", "warning", "info", "debug" }),
}

---@type draftwire.Config
M.options = vim.deepcopy(defaults)

---@type string[] what was wrong with the options given last; shown by :checkhealth
M.problems = {}

---@param options table
---@return string[] problems one line each
local function problems_of(options)
  local found = {}
  for name, value in pairs(options) do
    local check = checks[name]
    if check == nil then
      local known = vim.tbl_keys(checks)
      table.sort(known)
      table.insert(found, ("there is no option %q; there are %s"):format(name, table.concat(known, ", ")))
    else
      local right, wanted = check(value)
      if not right then
        table.insert(found, ("%s is %s; it must be %s"):format(name, vim.inspect(value), wanted))
      end
    end
  end
  table.sort(found)
  return found
end

---@return string? reason why nothing can be drawn, whatever is suggested; nil if it can
function M.why_nothing_is_drawn()
  if M.options.display == "core" and vim.lsp.inline_completion == nil then
    return 'display = "core" needs Neovim 0.12 (option display)'
  end
end

--- Take these options in, over those that hold. If one of them is wrong none is taken, and the user is told.
---@param options any
---@return boolean taken
function M.set(options)
  if type(options) ~= "table" then
    M.problems = { "setup takes a table of options, or nothing" }
  else
    M.problems = problems_of(options)
  end
  if #M.problems > 0 then
    local text = "Draftwire, setup: " .. table.concat(M.problems, "\n  ") .. "\nSee :help draftwire-options"
    vim.notify(text, vim.log.levels.ERROR)
    return false
  end
  local before = M.options
  M.options = vim.tbl_extend("force", before, options)
  M.options.filetypes = vim.tbl_extend("force", before.filetypes, options.filetypes or {})
  local nobody_draws = options.display and M.why_nothing_is_drawn()
  if nobody_draws then
    vim.notify("Draftwire: " .. nobody_draws, vim.log.levels.WARN)
  end
  return true
end

return M
