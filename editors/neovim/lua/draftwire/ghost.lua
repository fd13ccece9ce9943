--- Draws one suggestion at the cursor, with extmarks, and takes it away. Knows no bridge.

local layout = require("draftwire.layout")

local M = {}

local namespace = vim.api.nvim_create_namespace("draftwire")
local GHOST, COUNTER = 1, 2 -- ids of the extmarks: set again, they change in place, with no blank frame

---@class draftwire.Shown
---@field buffer integer
---@field row integer
---@field col integer bytes
---@field text string what would be inserted there
---@field verified integer bytes of it
---@field item draftwire.Item
---@field answer draftwire.Answer
---@field typed integer bytes of the item's text that stand in the buffer
---@field index integer
---@field count integer

---@type draftwire.Shown?
local shown

--- Verified text is a draft's colour, bold: no group that colour schemes know is as quiet and can be told from it.
local function set_colours()
  local comment = vim.api.nvim_get_hl(0, { name = "Comment", link = false })
  vim.api.nvim_set_hl(0, "DraftwireGhost", { link = "Comment", default = true })
  local verified = { fg = comment.fg, ctermfg = comment.ctermfg, bold = true, default = true }
  vim.api.nvim_set_hl(0, "DraftwireVerified", verified)
  vim.api.nvim_set_hl(0, "DraftwireCounter", { link = "NonText", default = true })
end
set_colours()
vim.api.nvim_create_autocmd("ColorScheme", {
  group = vim.api.nvim_create_augroup("draftwire_colours", {}),
  callback = set_colours,
})

---@return draftwire.Shown? what is on the screen
function M.shown()
  return shown
end

---@return string what a status line says of it, more or less
local function in_short()
  return shown and ("%s %d/%d"):format(shown.verified >= #shown.text, shown.index, shown.count) or ""
end

--- Status lines are drawn anew at a key, not when a suggestion comes or grows between two.
---@param before string what was said
local function tell_status_line(before)
  if in_short() ~= before then
    vim.cmd.redrawstatus()
  end
end

--- In other windows on the same buffer nobody types: nothing is drawn there.
---@param window integer
local function limit_to(window)
  if vim.api.nvim__ns_set then -- from 0.11 on
    vim.api.nvim__ns_set(namespace, { wins = { window } })
  end
end

---@param window integer
---@return integer? cells of a line, if lines wrap
local function wrap_width(window)
  if vim.wo[window].wrap then
    return math.max(vim.api.nvim_win_get_width(window) - vim.fn.getwininfo(window)[1].textoff, 1)
  end
end

--- Show this in place of what is shown, at the cursor of the current window.
---@param new draftwire.Shown
---@param counter boolean
function M.show(new, counter)
  local window, said = vim.api.nvim_get_current_win(), in_short()
  if shown and shown.buffer ~= new.buffer then
    M.clear()
  end
  limit_to(window)
  local before = vim.api.nvim_buf_get_lines(new.buffer, new.row, new.row + 1, true)[1]:sub(1, new.col)
  local column = vim.fn.strdisplaywidth(before)
  local tabstop = vim.bo[new.buffer].tabstop
  local drawn = layout.of(new.text, new.verified, column, tabstop, wrap_width(window))
  vim.api.nvim_buf_set_extmark(new.buffer, namespace, new.row, new.col, {
    id = GHOST,
    virt_text = drawn.first,
    virt_text_pos = "inline",
    virt_lines = #drawn.below > 0 and drawn.below or nil,
    hl_mode = "combine",
  })
  if counter and new.count > 1 then
    vim.api.nvim_buf_set_extmark(new.buffer, namespace, new.row, 0, {
      id = COUNTER,
      virt_text = { { (" (%d/%d)"):format(new.index, new.count), "DraftwireCounter" } },
      virt_text_pos = "eol",
    })
  else
    vim.api.nvim_buf_del_extmark(new.buffer, namespace, COUNTER)
  end
  shown = new
  vim.b[new.buffer].draftwire_visible = true
  tell_status_line(said)
end

--- Take what is shown off the screen.
function M.clear()
  local old, said = shown, in_short()
  shown = nil
  tell_status_line(said)
  if old and vim.api.nvim_buf_is_valid(old.buffer) then
    vim.api.nvim_buf_clear_namespace(old.buffer, namespace, 0, -1)
    vim.b[old.buffer].draftwire_visible = false
  end
end

return M
