--- The next word or line of a suggestion. Pure.

local M = {}

---@alias draftwire.Part "all"|"word"|"line"

local BLANK, PUNCTUATION = 0, 1 -- of charclass()

--- A word is what |w| takes for one: letters of one script, so Chinese goes up to the next sign, blank or letter of
--- another script. (VS Code ends it at blanks and ASCII signs alone.)
---@param text string not empty
---@return integer bytes line breaks with the indentation behind them; or blanks, then one word or one sign
local function word_end(text)
  local blanks = #text:match("^%s*")
  if text:sub(1, blanks):find("\n", 1, true) then
    return blanks
  end
  local line = text:sub(blanks + 1):match("^[^\n]*")
  local bytes, class = 0, nil
  for _, character in ipairs(vim.fn.split(line, "\\zs")) do
    local its = vim.fn.charclass(character)
    if class ~= nil and its ~= class then
      break
    end
    bytes, class = bytes + #character, its
    if class == PUNCTUATION or class == BLANK then
      break
    end
  end
  return blanks + bytes
end

---@param text string
---@return integer bytes up to the end of the first line that is not blank, its line break left behind
local function line_end(text)
  local breaks = #text:match("^\n*")
  local newline = text:find("\n", breaks + 1, true)
  return newline and newline - 1 or #text
end

--- How much of the text is its next part.
---@param text string
---@param part draftwire.Part
---@return integer bytes
function M.length(text, part)
  if part == "word" then
    return math.max(word_end(text), 1)
  elseif part == "line" then
    return line_end(text)
  end
  return #text
end

return M
