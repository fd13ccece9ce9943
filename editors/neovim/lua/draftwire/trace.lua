--- Why nothing was shown, the last 50 times, and what the bridge went through. In memory alone; holds no text of files.

local M = {}

local KEPT = 50

---@class draftwire.Reason
---@field at string time of day
---@field file string its name, without the folder
---@field text string

---@type draftwire.Reason[] oldest first
M.reasons = {}
---@type string[] oldest first
M.events = {}

---@param list any[]
---@param entry any
local function keep(list, entry)
  table.insert(list, entry)
  if #list > KEPT then
    table.remove(list, 1)
  end
end

--- Nothing is shown at the cursor, for this reason.
---@param buffer integer
---@param reason string
function M.nothing(buffer, reason)
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(buffer))
  local last = M.reasons[#M.reasons]
  if last and last.text == reason and last.file == name then
    last.at = os.date("%H:%M:%S") --[[@as string]]
    return
  end
  keep(M.reasons, { at = os.date("%H:%M:%S"), file = name, text = reason })
end

--- Something happened to the bridge or the daemon.
---@param text string
function M.event(text)
  keep(M.events, os.date("%H:%M:%S") .. " " .. text)
end

return M
