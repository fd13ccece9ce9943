--- `:Draftwire WHAT`: status, stats, why, log, restart, toggle.

local bridge = require("draftwire.bridge")
local config = require("draftwire.config")
local status = require("draftwire.status")
local trace = require("draftwire.trace")

local M = {}

local ASKING = "asking the daemon ..."
local PROGRAM_TIMEOUT_MS = 60000

--- Open a window for something to read, as |:checkhealth| does: one is in it at once, and leaves it with q.
---@param title string
---@return fun(lines: string[]) show puts these into it, in place of what was there, if it is still open
local function open(title)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = "wipe"
  vim.api.nvim_buf_set_name(buffer, ("draftwire://%s/%d"):format(title, buffer))
  local window = vim.api.nvim_open_win(buffer, true, { split = "below", win = -1, height = 1, style = "minimal" })
  local close = "<Cmd>wincmd p<Bar>execute winnr('#') .. 'close'<CR>" -- back to where one came from
  vim.keymap.set("n", "q", close, { buffer = buffer, nowait = true, desc = "Close" })
  return function(lines)
    if not vim.api.nvim_win_is_valid(window) or vim.api.nvim_win_get_buf(window) ~= buffer then
      return
    end
    lines = vim.split(table.concat(lines, "\n"), "\n", { plain = true }) -- a reason may have several
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    vim.bo[buffer].modifiable = false
    vim.api.nvim_win_set_height(window, math.min(#lines, math.floor(vim.o.lines / 2)))
  end
end

--- Ask the program what it tells people, whatever their editor.
---@param arguments string[]
---@param on_said fun(lines: string[])
local function ask_program(arguments, on_said)
  local missing = bridge.why_missing()
  if missing then
    on_said({ missing })
    return
  end
  local command = vim.list_extend(bridge.program(), arguments)
  local environment = { NO_COLOR = "1", COLUMNS = tostring(vim.o.columns) }
  local options = { text = true, env = environment, timeout = PROGRAM_TIMEOUT_MS }
  local on_exit = vim.schedule_wrap(function(result)
    local said = vim.split(result.stdout .. result.stderr, " *\n", { trimempty = true })
    on_said(#said > 0 and said or { ("%s said nothing"):format(table.concat(command, " ")) })
  end)
  local ran, problem = pcall(vim.system, command, options, on_exit)
  if not ran then
    on_said({ tostring(problem) })
  end
end

---@type table<string, fun()>
local subcommands = {}

function subcommands.status()
  local buffer = vim.api.nvim_get_current_buf()
  local reason, grammar = status.why_nothing_in(buffer), status.grammar_of(buffer)
  local lines = { "Draftwire: " .. status.in_words() }
  local last = status.last
  if last then
    table.insert(lines, ("draft model: %s (%s)"):format(last.draftModel ~= "" and last.draftModel or "-", last.draft))
    table.insert(lines, ("verifier: %s (%s)"):format(last.verifier ~= "" and last.verifier or "none", last.link))
    table.insert(lines, ("daemon: %s, process %d, version %s"):format(last.daemon, last.pid, last.version))
  end
  local here = reason and "nothing is suggested: " .. reason or "suggestions are offered"
  if not reason and not config.options.auto then
    here = here .. " when asked for (option auto)"
  end
  table.insert(lines, "this buffer: " .. here .. (grammar and "; grammar: " .. grammar or ""))
  vim.notify(table.concat(lines, "\n"))
end

function subcommands.stats()
  local show = open("stats")
  show({ ASKING })
  ask_program({ "stats" }, show)
end

---@param of_daemon string[]
---@return string[] lines why nothing was shown, as far as it is known here and there
local function reasons(of_daemon)
  local lines = { "seen here, newest first" }
  vim.list_extend(lines, trace.lines(trace.reasons))
  vim.list_extend(lines, { "", unpack(of_daemon) })
  if #trace.events > 0 then
    vim.list_extend(lines, { "", "the bridge, newest first" })
    vim.list_extend(lines, trace.lines(trace.events))
  end
  return lines
end

function subcommands.why()
  local show = open("why")
  show(reasons({ ASKING }))
  ask_program({ "stats", "--last" }, function(said)
    show(reasons(said))
  end)
end

function subcommands.log()
  -- The bridge's standard error, which Neovim keeps; the daemon's own log is named by `draftwire doctor`.
  local path = vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
  vim.cmd.tabnew(vim.fn.fnameescape(path))
end

function subcommands.restart()
  require("draftwire.events").restart()
  vim.notify("Draftwire: restarting")
end

function subcommands.toggle()
  require("draftwire").toggle()
  vim.notify("Draftwire: " .. (config.options.enabled and "on" or "off"))
end

---@return string[]
local function names()
  local all = vim.tbl_keys(subcommands)
  table.sort(all)
  return all
end

---@param arguments string[]
function M.run(arguments)
  local name = arguments[1] or "status"
  if subcommands[name] == nil or #arguments > 1 then
    local text = ("Draftwire: there is no :Draftwire %s; there are %s"):format(
      table.concat(arguments, " "),
      table.concat(names(), ", ")
    )
    vim.notify(text, vim.log.levels.ERROR)
    return
  end
  subcommands[name]()
end

---@param lead string what is typed of the word
---@param line string
---@return string[]
function M.complete(lead, line)
  if #vim.split(vim.trim(line), "%s+") > (lead == "" and 1 or 2) then
    return {}
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, names())
end

return M
