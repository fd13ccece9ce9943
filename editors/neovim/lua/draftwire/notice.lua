--- Tells the user what they did not ask for, in one line that fits: at a longer one Neovim waits for a key, and takes
--- those that are being typed.

local M = {}

local DOTS = " ..."

--- The whole text is kept where `more` says.
---@param text string
---@param more string the command that shows all of it
---@param level? integer
function M.tell(text, more, level)
  local line = vim.trim((text:gsub("%s+", " ")))
  if not vim.startswith(line, "Draftwire") then
    line = "Draftwire: " .. line
  end
  more = (" (%s)"):format(more)
  vim.cmd.redraw() -- a message below another one, with none of the screen drawn in between, makes it wait too
  local room = vim.v.echospace - vim.fn.strdisplaywidth(more)
  if vim.fn.strdisplaywidth(line) > room then
    line = vim.fn.printf(("%%.%dS"):format(math.max(room - #DOTS, 0)), line) .. DOTS
  end
  line = vim.fn.printf(("%%.%dS"):format(math.max(vim.v.echospace, 0)), line .. more)
  vim.notify(line, level or vim.log.levels.WARN)
end

return M
