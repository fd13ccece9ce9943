--- `:checkhealth draftwire`: each hop from here to the verifier, ok, or what is wrong and the command that mends it.

local bridge = require("draftwire.bridge")
local config = require("draftwire.config")
local lsp = require("draftwire.lsp")
local status = require("draftwire.status")

local M = {}

local VERSION_TIMEOUT_MS = 15000
local INSTALL = {
  'pipx install "draftwire[bundled-model]"',
  "or name the program: require('draftwire').setup({ command = '/path/to/draftwire' })",
}

local function check_options()
  if #config.problems == 0 then
    vim.health.ok("the options are right")
  end
  for _, problem in ipairs(config.problems) do
    vim.health.error("setup: " .. problem, { ":help draftwire-options" })
  end
end

---@return boolean whether the program is there and is Draftwire
local function check_program()
  local command = bridge.program()
  if vim.fn.executable(command[1]) == 0 then
    vim.health.error(("there is no program %q"):format(command[1]), INSTALL)
    return false
  end
  local ran, process = pcall(vim.system, vim.list_extend(vim.deepcopy(command), { "--version" }), { text = true })
  if not ran then
    vim.health.error(("%s can't be run: %s"):format(command[1], process), INSTALL)
    return false
  end
  local result = process:wait(VERSION_TIMEOUT_MS)
  local said = vim.trim((result.stdout or "") .. (result.stderr or ""))
  if result.code ~= 0 or not said:lower():find("draftwire", 1, true) then
    vim.health.error(("%s is not Draftwire, or broken; --version said: %s"):format(command[1], said), INSTALL)
    return false
  end
  vim.health.ok(("%s (%s)"):format(vim.fn.exepath(command[1]), vim.split(said, "\n")[1]))
  return true
end

local function check_bridge()
  local client = lsp.client()
  if bridge.problem then
    vim.health.error(bridge.problem, { "draftwire doctor", ":Draftwire restart" })
  elseif client == nil then
    vim.health.info("the bridge doesn't run: no buffer has needed it yet")
  else
    vim.health.ok(("the bridge runs; positions in %s"):format(client.offset_encoding))
  end
end

local function check_daemon()
  local last = status.last
  if last == nil then
    vim.health.info("the daemon has not been heard of")
    return
  end
  local says = status.in_words()
  if last.kind == "Error" then
    vim.health.error("the daemon: " .. says, { "draftwire doctor" })
  elseif last.kind == "Warning" then
    vim.health.warn(says, { "draftwire doctor" })
  elseif last.kind == "Inactive" then
    vim.health.info(says)
  else
    vim.health.ok(("the daemon, draft model %s: %s"):format(last.draftModel, says))
  end
end

local function check_neighbours()
  local core = vim.lsp.inline_completion
  if core and core.is_enabled() and config.options.display == "plugin" then
    vim.health.warn("Neovim draws inline completions too: each suggestion may be shown twice", {
      "vim.lsp.inline_completion.enable(false)",
      "or let Neovim alone draw: require('draftwire').setup({ display = 'core' })",
    })
  end
  local nobody = config.why_nothing_is_drawn()
  if nobody then
    vim.health.error(nobody, { "require('draftwire').setup({ display = 'plugin' })" })
  end
end

--- The buffer from which `:checkhealth` was called: the report has one of its own, current by now.
---@return integer? buffer
local function asked_from()
  local report = vim.api.nvim_get_current_buf()
  local alternate = vim.fn.bufnr("#")
  if alternate > 0 and alternate ~= report and vim.api.nvim_buf_is_loaded(alternate) then
    return alternate
  end
  local before = vim.fn.winbufnr(vim.fn.winnr("#")) -- a report that floats
  return before > 0 and before ~= report and before or nil
end

local function check_buffer()
  local buffer = asked_from()
  if buffer == nil then
    return
  end
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(buffer))
  name = name == "" and "the buffer without a name" or name
  local reason = status.why_nothing_in(buffer)
  if reason then
    vim.health.info(("%s: nothing is suggested: %s"):format(name, reason))
  else
    vim.health.ok(("%s: suggestions are offered"):format(name))
  end
end

function M.check()
  vim.health.start("draftwire")
  vim.health.ok("Neovim " .. tostring(vim.version()))
  check_options()
  if check_program() then
    check_bridge()
    check_daemon()
  end
  check_neighbours()
  check_buffer()
end

return M
