--- Where the cursor stands, with the text around it; and positions in the units that client and bridge agreed on.

local M = {}

local LINES_AROUND = 3

---@class draftwire.Place
---@field row integer from 0
---@field col integer bytes
---@field before string the line's text before the cursor
---@field after string the line's text behind it
---@field above string[] the lines above, three at the most
---@field below string[] the lines below, three at the most

---@param buffer integer
---@param row integer
---@param col integer bytes
---@return draftwire.Place? nil if there is no such place
function M.at(buffer, row, col)
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
  if line == nil or col > #line then
    return nil
  end
  return {
    row = row,
    col = col,
    before = line:sub(1, col),
    after = line:sub(col + 1),
    above = M.lines_above(buffer, row),
    below = vim.api.nvim_buf_get_lines(buffer, row + 1, row + 1 + LINES_AROUND, false),
  }
end

---@param buffer integer
---@param row integer
---@return string[]
function M.lines_above(buffer, row)
  return vim.api.nvim_buf_get_lines(buffer, math.max(row - LINES_AROUND, 0), row, false)
end

--- The place further up from which the user has come to `now`: what stands behind it is what stands behind `now`.
---@param buffer integer
---@param row integer
---@param col integer bytes
---@param now draftwire.Place
---@return draftwire.Place?
function M.behind(buffer, row, col, now)
  local place = M.at(buffer, row, col)
  if place then
    place.after, place.below = now.after, now.below
  end
  return place
end

--- The cursor's place in the current window.
---@return draftwire.Place
function M.of_cursor()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local place = M.at(vim.api.nvim_get_current_buf(), cursor[1] - 1, cursor[2])
  return (assert(place))
end

---@param text string
---@param encoding string "utf-8", "utf-16" or "utf-32"
---@return integer units of the whole text
function M.units_of(text, encoding)
  if encoding == "utf-8" then
    return #text
  end
  local utf32, utf16 = vim.str_utfindex(text)
  return encoding == "utf-16" and utf16 or utf32
end

---@param text string
---@param units integer
---@param encoding string
---@return integer bytes that so many units take; all of the text if it has fewer
function M.bytes_of(text, units, encoding)
  if encoding == "utf-8" then
    return math.min(units, #text)
  end
  if units >= M.units_of(text, encoding) then
    return #text
  end
  return vim.str_byteindex(text, units, encoding == "utf-16")
end

---@param place draftwire.Place
---@param encoding string
---@return lsp.Position
function M.lsp_position(place, encoding)
  return { line = place.row, character = M.units_of(place.before, encoding) }
end

return M
