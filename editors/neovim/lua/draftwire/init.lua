--- What users and other plugins call. Everything works without `setup`.

local M = {}

--- Change options; see |draftwire-options|. May be called again.
---@param options? draftwire.Options
function M.setup(options)
  if require("draftwire.config").set(options or {}) then
    require("draftwire.events").options_changed()
  end
end

--- Accept what is shown, or its next "word" or "line". To be called in Insert mode.
---@param part? "all"|"word"|"line"
---@return boolean accepted false if nothing is shown, so that a map may do something else
function M.accept(part)
  return require("draftwire.accept").accept(part or "all")
end

---@return boolean accepted
function M.accept_word()
  return M.accept("word")
end

---@return boolean accepted
function M.accept_line()
  return M.accept("line")
end

--- Show the next candidate; asks for more where only one is known.
function M.next()
  require("draftwire.completion").cycle(1)
end

--- Show the candidate before.
function M.previous()
  require("draftwire.completion").cycle(-1)
end

--- Hide the suggestion until the text changes.
function M.dismiss()
  require("draftwire.completion").dismiss()
end

--- Ask for a suggestion, also where that is not done by itself.
function M.trigger()
  require("draftwire.completion").trigger()
end

--- Look again at what may be shown; for completion menus after setting `b:draftwire_hidden`.
function M.refresh()
  require("draftwire.completion").refresh()
end

---@return boolean visible whether a suggestion is on the screen
function M.is_visible()
  return require("draftwire.completion").shown_now() ~= nil
end

--- Switch on or off, everywhere.
---@param enabled? boolean default: the other way
function M.toggle(enabled)
  local config = require("draftwire.config")
  if enabled == nil then
    enabled = not config.options.enabled
  end
  M.setup({ enabled = enabled })
end

---@return string text for a status line; empty when switched off
function M.statusline()
  return require("draftwire.status").line()
end

return M
