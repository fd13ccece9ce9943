--- Why nothing was shown, the last 50 reasons, and what the bridge went through. In memory alone; holds no text of
--- files.

local M = {}

local KEPT = 50

---@class draftwire.Note
---@field at string time of day, of the last time
---@field text string
---@field times integer

---@type draftwire.Note[] why nothing was shown, with the name of the file in front; the newest last
M.reasons = {}
---@type draftwire.Note[] the newest last
M.events = {}

--- What was noted before counts on, and is the newest again.
---@param list draftwire.Note[]
---@param text string
local function keep(list, text)
  local times = 1
  for index, note in ipairs(list) do
    if note.text == text then
      times = table.remove(list, index).times + 1
      break
    end
  end
  table.insert(list, { at = os.date("%H:%M:%S"), text = text, times = times })
  if #list > KEPT then
    table.remove(list, 1)
  end
end

--- Nothing is shown at the cursor, for this reason.
---@param buffer integer
---@param reason string
function M.nothing(buffer, reason)
  keep(M.reasons, vim.fs.basename(vim.api.nvim_buf_get_name(buffer)) .. ": " .. reason)
end

--- Something happened to the bridge or the daemon.
---@param text string
function M.event(text)
  keep(M.events, text)
end

---@param list draftwire.Note[]
---@return string[] lines the newest first
function M.lines(list)
  local lines = {}
  for index = #list, 1, -1 do
    local note = list[index]
    local times = note.times > 1 and (" (%d times)"):format(note.times) or ""
    table.insert(lines, ("%s %s%s"):format(note.at, note.text, times))
  end
  return lines
end

return M
