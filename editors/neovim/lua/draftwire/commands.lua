--- `:Draftwire WHAT`: status, stats, why, log, restart, toggle.

local config = require("draftwire.config")
local lsp = require("draftwire.lsp")
local status = require("draftwire.status")
local trace = require("draftwire.trace")

local M = {}

--- Show lines in a window of their own.
---@param title string
---@param lines string[]
local function show(title, lines)
  local buffer = vim.api.nvim_create_buf(false, true)
  lines = vim.split(table.concat(lines, "\n"), "\n", { plain = true }) -- a reason may have several
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable, vim.bo[buffer].bufhidden = false, "wipe"
  vim.api.nvim_buf_set_name(buffer, ("draftwire://%s/%d"):format(title, buffer))
  vim.cmd(("botright %dsplit"):format(math.min(#lines + 1, 15)))
  vim.api.nvim_win_set_buf(0, buffer)
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buffer, desc = "Close" })
end

---@param method "draftwire/status"|"draftwire/stats"
---@param on_result fun(result: table)
local function with(method, on_result)
  lsp.question(method, function(result, problem)
    if result then
      on_result(result)
    else
      vim.notify("Draftwire: " .. (problem or "no answer"), vim.log.levels.WARN)
    end
  end)
end

--- Nested values as "name.name: value".
---@param values table
---@param prefix string
---@param into string[]
local function flatten(values, prefix, into)
  local names = vim.tbl_keys(values)
  table.sort(names, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for _, name in ipairs(names) do
    local value = values[name]
    if type(value) == "table" and not vim.tbl_isempty(value) then
      flatten(value, prefix .. name .. ".", into)
    elseif type(value) ~= "table" then
      table.insert(into, ("%s%s: %s"):format(prefix, name, tostring(value)))
    end
  end
end

---@type table<string, fun()>
local subcommands = {}

---@param reason? string why nothing is suggested in the current buffer
local function tell_status(reason)
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
  table.insert(lines, "this buffer: " .. here)
  vim.notify(table.concat(lines, "\n"))
end

function subcommands.status()
  tell_status(status.why_nothing_in(vim.api.nvim_get_current_buf()))
end

function subcommands.stats()
  with("draftwire/stats", function(stats)
    stats.last_requests = nil -- those are for `why`
    local lines = {}
    flatten(stats, "", lines)
    show("stats", lines)
  end)
end

function subcommands.why()
  local lines = { "Seen here, newest first:" }
  for index = #trace.reasons, 1, -1 do
    local one = trace.reasons[index]
    table.insert(lines, ("  %s %s: %s"):format(one.at, one.file, one.text))
  end
  local events = #trace.events > 0 and vim.list_extend({ "", "The bridge:" }, trace.events) or {}
  lsp.question("draftwire/stats", function(stats, problem)
    local title = problem and "The daemon can't be asked: " .. problem or "The daemon's last requests, newest first:"
    vim.list_extend(lines, { "", title })
    local requests = stats and stats.last_requests or {}
    for index = #requests, 1, -1 do
      local one = requests[index]
      local name = vim.fs.basename(tostring(one.document))
      local outcome = one.reason and one.reason ~= vim.NIL and one.reason or ("%d characters"):format(one.shown or 0)
      table.insert(lines, ("  %s: %s, %.0f ms"):format(name, outcome, (one.seconds or 0) * 1000))
    end
    show("why", vim.list_extend(lines, events))
  end)
end

function subcommands.log()
  -- The bridge's standard error, which Neovim keeps; the daemon's own log is named by `draftwire doctor`.
  local path = vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
  vim.cmd.tabnew(vim.fn.fnameescape(path))
end

function subcommands.restart()
  require("draftwire.events").restart()
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
