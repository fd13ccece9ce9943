--- From a suggestion's text to what an extmark draws: highlighted pieces, tabs as blanks, long lines cut to the window.

local M = {}

---@alias draftwire.Chunk {[1]: string, [2]: string} text and highlight group

---@class draftwire.Layout
---@field first draftwire.Chunk[] goes on the cursor's line
---@field below draftwire.Chunk[][] lines below it

---@param text string
---@param column integer display cells before it in its line
---@param tabstop integer
---@return string text without tabs
local function without_tabs(text, column, tabstop)
  local parts = {}
  for piece, tab in (text .. "\0"):gmatch("([^\t%z]*)([\t%z])") do
    table.insert(parts, piece)
    column = column + vim.fn.strdisplaywidth(piece)
    if tab == "\t" then
      local blanks = tabstop - column % tabstop
      table.insert(parts, (" "):rep(blanks))
      column = column + blanks
    end
  end
  return table.concat(parts)
end

--- One line as pieces: what is verified, then what is not.
---@param line string
---@param verified integer bytes
---@param column integer
---@param tabstop integer
---@return draftwire.Chunk[]
local function chunks_of(line, verified, column, tabstop)
  local sure = without_tabs(line:sub(1, verified), column, tabstop)
  local chunks = {}
  if sure ~= "" then
    table.insert(chunks, { sure, "DraftwireVerified" })
  end
  local rest = without_tabs(line:sub(verified + 1), column + vim.fn.strdisplaywidth(sure), tabstop)
  if rest ~= "" then
    table.insert(chunks, { rest, "DraftwireGhost" })
  end
  return chunks
end

--- Cut a line where the window ends: lines drawn below text are not wrapped by the editor.
---@param chunks draftwire.Chunk[]
---@param width integer cells
---@return draftwire.Chunk[][]
local function wrapped(chunks, width)
  local lines, used = { {} }, 0
  for _, chunk in ipairs(chunks) do
    local piece = ""
    for _, character in ipairs(vim.fn.split(chunk[1], "\\zs")) do
      local cells = vim.fn.strdisplaywidth(character)
      if used + cells > width and used > 0 then
        table.insert(lines[#lines], { piece, chunk[2] })
        table.insert(lines, {})
        piece, used = "", 0
      end
      piece, used = piece .. character, used + cells
    end
    table.insert(lines[#lines], { piece, chunk[2] })
  end
  return lines
end

---@param text string LF line ends
---@param verified integer bytes of it
---@param column integer display cells before the cursor
---@param tabstop integer
---@param width? integer cells that a line below may have; nil: any number
---@return draftwire.Layout
function M.of(text, verified, column, tabstop, width)
  local first ---@type draftwire.Chunk[]?
  local below = {}
  for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
    local chunks = chunks_of(line, math.max(math.min(verified, #line), 0), first and 0 or column, tabstop)
    verified = verified - #line - 1
    if first == nil then
      first = chunks
    else
      chunks = #chunks > 0 and chunks or { { " ", "DraftwireGhost" } }
      vim.list_extend(below, width and wrapped(chunks, width) or { chunks })
    end
  end
  return { first = assert(first), below = below }
end

return M
