--- Where bridge, daemon, draft and verifier stand, as the bridge told last; the text for a status line.

local bridge = require("draftwire.bridge")
local config = require("draftwire.config")

local M = {}

---@class draftwire.Status what `draftwire/status` says; lsp_bridge/status.py
---@field kind "Normal"|"Warning"|"Error"|"Inactive"
---@field reason string
---@field message string
---@field daemon "starting"|"connected"|"unavailable"|"refused"
---@field draft "loading"|"ready"|"failed"
---@field link string
---@field draftModel string
---@field targetModel string
---@field verifier string
---@field version string
---@field pid integer

---@type draftwire.Status?
M.last = nil

---@param status any
---@return boolean connected whether the daemon answers and has a model, and didn't before
---@return boolean lost whether it did and doesn't any more
function M.take(status)
  if type(status) ~= "table" or type(status.kind) ~= "string" then
    return false, false
  end
  local before = M.is_ready()
  M.last = status
  vim.api.nvim_exec_autocmds("User", { pattern = "DraftwireStatus", modeline = false })
  vim.cmd.redrawstatus()
  local now = M.is_ready()
  return now and not before, before and not now
end

--- The bridge is gone, and with it what it said.
function M.forget()
  M.last = nil
end

---@return boolean
function M.is_ready()
  return M.last ~= nil and M.last.daemon == "connected" and M.last.draft == "ready"
end

---@return string one line for people
function M.in_words()
  if not config.options.enabled then
    return "switched off"
  elseif bridge.problem then
    return bridge.problem
  elseif M.last == nil then
    return "not started"
  elseif M.last.message ~= "" then
    return M.last.message
  end
  return M.last.kind == "Normal" and "ready" or M.last.reason
end

--- "Draftwire", with what is shown ("2/3", "+": all of it verified, "~": drafted) or what is wrong.
---@return string empty when switched off
function M.line()
  if not config.options.enabled then
    return ""
  end
  local shown = require("draftwire.ghost").shown()
  if shown then
    local count = shown.count > 1 and (" %d/%d"):format(shown.index, shown.count) or ""
    return "Draftwire " .. (shown.verified >= #shown.text and "+" or "~") .. count
  end
  if not bridge.problem and M.last and M.last.kind == "Normal" then
    return "Draftwire"
  end
  return "Draftwire: " .. M.in_words():match("^[^\n]*")
end

return M
