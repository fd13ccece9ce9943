--- What happens in the editor and at the bridge, and who is told; the options and a restart take effect here.

local bridge = require("draftwire.bridge")
local completion = require("draftwire.completion")
local config = require("draftwire.config")
local ghost = require("draftwire.ghost")
local lsp = require("draftwire.lsp")
local scope = require("draftwire.scope")
local status = require("draftwire.status")
local trace = require("draftwire.trace")

local M = {}

local started = false
---@type table<integer, true> buffers
local drawn_by_core = {}

--- The bridge learns of a buffer where suggestions are offered, and only of such.
---@param buffer integer
local function reconsider(buffer)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  local refused = scope.why_not_attached(buffer)
  if refused and lsp.client_of(buffer) then
    lsp.detach(buffer)
  elseif not refused then
    lsp.attach(buffer)
  end
end

--- Two buffers without a name would be one document: the bridge knows the one in which somebody is.
---@param buffer integer
local function leave_unnamed(buffer)
  if vim.api.nvim_buf_get_name(buffer) == "" then
    lsp.detach(buffer)
  end
end

--- Let Neovim itself draw in a buffer that is attached, if the options say so, or stop it where we let it.
---@param buffer integer
local function choose_who_draws(buffer)
  local nobody = config.why_nothing_is_drawn()
  if nobody then
    trace.nothing(buffer, nobody)
  elseif config.options.display == "core" then
    vim.lsp.inline_completion.enable(true, { bufnr = buffer })
    drawn_by_core[buffer] = true
  elseif drawn_by_core[buffer] then
    vim.lsp.inline_completion.enable(false, { bufnr = buffer })
    drawn_by_core[buffer] = nil
  end
end

--- Options were set: they hold from now on, without a restart.
function M.options_changed()
  if not started then
    return -- they hold from the start
  end
  completion.leave()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and (vim.fn.bufwinid(buffer) ~= -1 or lsp.client_of(buffer)) then
      reconsider(buffer)
    end
    if lsp.client_of(buffer) then
      choose_who_draws(buffer)
    end
  end
  lsp.configure()
  completion.refresh()
end

--- End the bridge and start it again.
function M.restart()
  completion.leave()
  lsp.stop()
  status.forget()
  bridge.reset()
  completion.forget()
  local timer = assert(vim.uv.new_timer())
  local start_again = vim.schedule_wrap(function()
    if lsp.client() == nil and timer:is_active() then -- the old one has ended
      timer:close()
      M.options_changed()
    end
  end)
  timer:start(50, 50, start_again)
end

---@param params any of `draftwire/status`
local function status_changed(params)
  local connected, lost, other_grammars = status.take(params)
  if not lost then
    vim.iter(other_grammars):each(completion.begin_anew)
  end
  if lost then
    ghost.clear()
    completion.forget()
    trace.event("the daemon is lost: " .. status.in_words())
  elseif connected then
    trace.event("the daemon is ready")
    completion.look_anew()
  end
end

--- Begin. Called once.
function M.start()
  started = true
  local group = vim.api.nvim_create_augroup("draftwire", { clear = true })
  ---@param events string[]
  ---@param callback fun(event: table)
  ---@param pattern? string
  local function on(events, callback, pattern)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback, pattern = pattern })
  end
  ---@param action fun(buffer: integer)
  ---@return fun(event: table)
  local function later(action)
    return function(event)
      vim.schedule(function()
        action(event.buf)
      end)
    end
  end
  ---@param action fun()
  ---@return fun()
  local function drawing(action)
    return function()
      if config.options.display == "plugin" then
        action()
      end
    end
  end

  vim.lsp.handlers["draftwire/suggestion"] = function(_, params)
    completion.suggestion_changed(params)
  end
  vim.lsp.handlers["draftwire/status"] = function(_, params)
    status_changed(params)
  end
  on({ "BufEnter", "BufReadPost", "BufNewFile", "FileType", "BufFilePost" }, later(reconsider))
  on({ "TextChangedI", "TextChangedP", "CursorMovedI" }, drawing(completion.update))
  on({ "InsertEnter", "CompleteChanged", "CompleteDone" }, later(completion.refresh))
  on({ "InsertLeave", "BufLeave", "WinLeave" }, completion.leave)
  on({ "ModeChanged" }, function()
    scope.types_in_block = true
  end, "\22:i*")
  on({ "ModeChanged" }, function()
    scope.types_in_block = false
    completion.leave()
  end, "i*:[^i]*")
  on({ "BufLeave" }, function(event)
    leave_unnamed(event.buf)
  end)
  on({ "BufUnload" }, function(event)
    completion.forget(event.buf)
    drawn_by_core[event.buf] = nil
  end)
  on({ "LspAttach" }, function(event)
    if lsp.opened(event.buf, event.data.client_id) then
      choose_who_draws(event.buf)
      completion.look_anew()
    end
  end)
  on({ "LspDetach" }, function(event)
    lsp.closed(event.buf, event.data.client_id)
    if lsp.client() == nil then
      status.forget() -- else the next bridge's first word would be taken for a loss, and clear what it has answered
    end
    local shown = ghost.shown()
    if shown and shown.buffer == event.buf then
      ghost.clear()
    end
  end)
  reconsider(vim.api.nvim_get_current_buf())
  vim.schedule(completion.refresh)
end

return M
