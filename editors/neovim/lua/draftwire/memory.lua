--- The suggestions of late in one buffer, and which of them fit the text now.
---
--- What fits is a function of the buffer and of what was answered. Nothing is tracked while the user types, so a late
--- answer does no harm, typing along costs no request, and deleting brings a suggestion back.

local place_of = require("draftwire.place")

local M = {}

local REMEMBERED_ANSWERS = 8

---@class draftwire.Item
---@field id integer the daemon's number of the suggestion
---@field text string all of it, from the answer's place on, LF line ends
---@field verified integer bytes of `text` that are the target's own
---@field complete boolean nothing will be added to it
---@field before integer code points of the suggestion that stood before the answer's place
---@field along integer bytes that were typed when the newest change came, which told of the rest
---@field own integer how many of those were known as the target's own

---@class draftwire.Answer
---@field place draftwire.Place what it was given for
---@field items draftwire.Item[] best first
---@field asked_for_more boolean the list holds all candidates

---@class draftwire.Fit
---@field answer draftwire.Answer
---@field items draftwire.Item[] those that fit, in the answer's order
---@field index integer which of them to show: the one last shown, or the best
---@field typed integer bytes of their texts that stand in the buffer

---@class draftwire.Memory
---@field buffer integer
---@field answers draftwire.Answer[] newest first
---@field shown_id? integer
local Memory = {}
Memory.__index = Memory

---@param buffer integer
---@return draftwire.Memory
function M.new(buffer)
  return setmetatable({ buffer = buffer, answers = {} }, Memory)
end

---@param place draftwire.Place
---@param items draftwire.Item[]
---@param asked_for_more boolean
---@return draftwire.Answer
function Memory:remember(place, items, asked_for_more)
  local answer = { place = place, items = items, asked_for_more = asked_for_more }
  table.insert(self.answers, 1, answer)
  self.answers[REMEMBERED_ANSWERS + 1] = nil
  return answer
end

--- What was typed since the answer's place, if the cursor's text still goes on from there.
---@param buffer integer
---@param from draftwire.Place
---@param now draftwire.Place
---@return string? typed
local function typed_since(buffer, from, now)
  if now.row < from.row or now.after ~= from.after or not vim.deep_equal(now.below, from.below) then
    return nil
  end
  if not vim.deep_equal(place_of.lines_above(buffer, from.row), from.above) then
    return nil
  end
  local lines = vim.api.nvim_buf_get_lines(buffer, from.row, now.row, false)
  table.insert(lines, now.before)
  if not vim.startswith(lines[1], from.before) then
    return nil
  end
  lines[1] = lines[1]:sub(#from.before + 1)
  return table.concat(lines, "\n")
end

--- What fits at this place: of the newest answer that does, or of the one that holds what was shown last.
---@param now draftwire.Place
---@return draftwire.Fit?
function Memory:fitting(now)
  local found ---@type draftwire.Fit?
  for _, answer in ipairs(self.answers) do
    local typed = typed_since(self.buffer, answer.place, now)
    ---@param item draftwire.Item
    ---@return boolean
    local function goes_on(item)
      return typed ~= nil and #item.text > #typed and vim.startswith(item.text, typed)
    end
    local items = vim.tbl_filter(goes_on, answer.items)
    if #items > 0 then
      local fit = { answer = answer, items = items, index = 1, typed = #typed }
      for index, item in ipairs(items) do
        if item.id == self.shown_id then
          fit.index = index
          return fit
        end
      end
      found = found or fit
    end
  end
  return found
end

--- Bytes between an answer's place and a position further on, along a text.
---@param from draftwire.Place
---@param text string
---@param row integer
---@param col integer bytes
---@return integer? bytes nil if the text has no such position
local function bytes_along(from, text, row, col)
  local rows, start = row - from.row, 0
  if rows < 0 then
    return nil
  end
  for _ = 1, rows do
    local newline = text:find("\n", start + 1, true)
    if newline == nil then
      return nil
    end
    start = newline
  end
  local bytes = rows == 0 and col - from.col or start + col
  return bytes >= 0 and bytes <= #text and bytes or nil
end

---@class draftwire.Change
---@field kind "extended"|"verified"|"corrected"|"withdrawn"
---@field id integer
---@field row integer
---@field col integer bytes
---@field text string what is to be inserted there
---@field verified integer bytes of it
---@field complete boolean

--- Once another rest is known to follow what is typed of an item. That the user types what a draft said makes it
--- nobody's: of what is typed, as much stays the target's own as was.
---@param item draftwire.Item
---@param kept integer bytes of it that are typed
---@param change draftwire.Change
local function change_rest(item, kept, change)
  local own = item.own < item.along and item.own or math.min(item.verified, kept)
  item.text, item.complete = item.text:sub(1, kept) .. change.text, change.complete
  item.verified = kept + change.verified
  item.along, item.own = kept, own
  if own == kept then
    item.along, item.own = 0, 0
  end
end

--- How much of what is left of an item is the target's own.
---@param item draftwire.Item
---@param typed integer bytes of it that stand before the cursor
---@return integer bytes
function M.verified_after(item, typed)
  local verified = typed >= item.along and item.verified or item.own
  return math.max(verified - typed, 0)
end

--- Take in a change of a suggestion.
---@param change draftwire.Change
---@return boolean known whether a suggestion of that id is remembered
function Memory:change(change)
  local known = false
  for _, answer in ipairs(self.answers) do
    for index = #answer.items, 1, -1 do
      local item = answer.items[index]
      if item.id == change.id then
        known = true
        local kept = bytes_along(answer.place, item.text, change.row, change.col)
        if change.kind == "withdrawn" then
          table.remove(answer.items, index)
        elseif kept then
          local text = item.text:sub(1, kept) .. change.text
          if change.kind == "corrected" or vim.startswith(text, item.text) then
            change_rest(item, kept, change)
          end
        end
      end
    end
  end
  return known
end

return M
