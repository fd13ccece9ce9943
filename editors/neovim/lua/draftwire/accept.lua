--- Puts what is shown, or its next word or line, into the buffer: one undo step, repeated by `.`, the rest stays.

local completion = require("draftwire.completion")
local ghost = require("draftwire.ghost")
local lsp = require("draftwire.lsp")
local segments = require("draftwire.segments")

local M = {}

--- Whether `vim.paste` is Neovim's own, with nothing of the user's in its place.
---@return boolean
local function paste_is_plain()
  local source = debug.getinfo(vim.paste, "S").source
  return source == "?" or vim.startswith(source, "@vim/") -- "?": Neovim 0.12 keeps no names of its own files
end

--- Insert at the cursor and leave it behind the text.
---@param text string
---@param row integer
---@param col integer
local function insert(text, row, col)
  if paste_is_plain() then
    vim.api.nvim_paste(text, false, -1) -- also what `.` will repeat
    return
  end
  local lines = vim.split(text, "\n", { plain = true })
  vim.api.nvim_buf_set_text(0, row, col, row, col, lines)
  local last = #lines == 1 and col + #lines[1] or #lines[#lines]
  vim.api.nvim_win_set_cursor(0, { row + #lines, last })
end

---@param part draftwire.Part
function M.apply(part)
  local shown = completion.shown_now()
  if shown == nil then
    return
  end
  local length = segments.length(shown.text, part)
  ghost.clear()
  insert(shown.text:sub(1, length), shown.row, shown.col)
  lsp.accepted(shown.buffer, shown, length, part)
  completion.update()
end

--- The keys that accept, with a break of the undo sequence before and after; none if nothing is shown.
---@param part draftwire.Part
---@return string
function M.keys(part)
  if completion.shown_now() == nil then
    return ""
  end
  return ("<C-g>u<Cmd>lua require('draftwire.accept').apply(%q)<CR><C-g>u"):format(part)
end

---@param part draftwire.Part
---@return boolean accepted
function M.accept(part)
  local keys = M.keys(part)
  if keys == "" or vim.api.nvim_get_mode().mode:sub(1, 1) ~= "i" then
    return false
  end
  vim.api.nvim_feedkeys(vim.keycode(keys), "ni", false)
  return true
end

return M
