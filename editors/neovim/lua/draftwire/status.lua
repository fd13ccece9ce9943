--- Where bridge, daemon, draft and verifier stand, as the bridge told last, and what that means for a buffer; the text
--- for a status line.

local bridge = require("draftwire.bridge")
local config = require("draftwire.config")
local ghost = require("draftwire.ghost")
local lsp = require("draftwire.lsp")
local scope = require("draftwire.scope")

local M = {}

---@class draftwire.Status what `draftwire/status` says; lsp_bridge/status.py
---@field kind "Normal"|"Warning"|"Error"|"Inactive"
---@field reason string
---@field message string
---@field daemon "starting"|"connected"|"silent"|"stopped"|"unavailable"|"refused"
---@field draft "loading"|"ready"|"failed"
---@field link string
---@field draftModel string
---@field targetModel string
---@field verifier string
---@field version string
---@field pid integer
---@field grammars table<string, string>? how the grammars of a document fare, by its URI
---@field leftOut table<string, string>? why nothing is suggested in a document, by its URI

---@type draftwire.Status?
M.last = nil

---@param status any
---@return boolean connected whether the daemon answers and has a model, and didn't before
---@return boolean lost whether it did and doesn't any more
---@return integer[] buffers whose grammars fare otherwise than before
function M.take(status)
  if type(status) ~= "table" or type(status.kind) ~= "string" then
    return false, false, {}
  end
  local before, lines = M.is_ready(), M.last and M.last.grammars or {}
  M.last = status
  local other = vim.tbl_filter(function(buffer)
    return M.grammar_of(buffer) ~= lines[vim.uri_from_bufnr(buffer)]
  end, lsp.buffers())
  vim.api.nvim_exec_autocmds("User", { pattern = "DraftwireStatus", modeline = false })
  vim.cmd.redrawstatus()
  local now = M.is_ready()
  return now and not before, before and not now, other
end

--- The bridge is gone, and with it what it said.
function M.forget()
  M.last = nil
end

---@return boolean
function M.is_ready()
  local last = M.last
  return last ~= nil and last.daemon == "connected" and last.draft == "ready"
end

---@return string one line for people
function M.in_words()
  local last = M.last
  if not config.options.enabled then
    return "switched off"
  elseif bridge.problem then
    return bridge.problem
  elseif last == nil then
    return lsp.is_started() and "the bridge is starting" or "not started: no buffer has needed it yet"
  elseif last.message ~= "" then
    return last.message
  end
  return last.kind == "Normal" and "ready" or last.reason
end

---@param buffer integer
---@return string? reason the daemon's, why it suggests nothing in this buffer
local function left_out(buffer)
  local reasons = M.last and M.last.leftOut
  return reasons and reasons[vim.uri_from_bufnr(buffer)]
end

---@param buffer integer
---@return string? line how its grammars fare, if it has some
function M.grammar_of(buffer)
  local lines = M.last and M.last.grammars
  return lines and lines[vim.uri_from_bufnr(buffer)]
end

---@param buffer integer
---@return string? reason why nothing is suggested in this buffer, whatever is typed; nil if something may be
function M.why_nothing_in(buffer)
  local reason = scope.why_not_attached(buffer) or scope.why_unchangeable(buffer) or config.why_nothing_is_drawn()
  if reason or M.is_ready() and not bridge.problem then
    return reason or left_out(buffer)
  end
  if M.last or bridge.problem or lsp.is_started() then
    return M.in_words()
  end
  return bridge.why_missing()
end

---@return boolean whether something is wrong, though suggestions may go on, as without the verifier
local function is_amiss()
  return bridge.problem ~= nil or M.last ~= nil and (M.last.kind == "Error" or M.last.kind == "Warning")
end

---@param buffer integer
---@return string[] signs what is so in this buffer, such as { "~", "2/3", "!" }
local function signs_of(buffer)
  local shown = ghost.shown()
  if shown and shown.buffer == buffer then
    local signs = { shown.verified >= #shown.text and "+" or "~" }
    if shown.count > 1 then
      table.insert(signs, ("%d/%d"):format(shown.index, shown.count))
    end
    return is_amiss() and vim.list_extend(signs, { "!" }) or signs
  elseif
    scope.why_switched_off(buffer)
    or lsp.client_of(buffer) == nil and scope.why_not_attached(buffer)
    or scope.why_unchangeable(buffer)
    or left_out(buffer)
  then
    return { "-" }
  elseif is_amiss() then
    return { "!" }
  end
  local is_ready = M.last and M.last.kind == "Normal"
  return (is_ready or not lsp.is_started()) and {} or { "..." }
end

--- "Draftwire" and the signs of what is so in the current buffer; `:Draftwire status` has the rest.
---@return string empty when switched off, and in buffers that are no files
function M.line()
  local buffer = vim.api.nvim_get_current_buf()
  if not config.options.enabled or vim.bo[buffer].buftype ~= "" then
    return ""
  end
  return table.concat(vim.list_extend({ "Draftwire" }, signs_of(buffer)), " ")
end

return M
