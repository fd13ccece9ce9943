--- From a key to what is on the screen. Read this first.
---
---   key -> `update`: may anything be shown here? does a known suggestion fit? then draw it, within the key's own tick;
---          else ask the bridge
---   answer, or a change of a suggestion -> into the memory -> `update` again
---
--- What is shown is a function of the buffer now and of what is known, so nothing that comes late can do harm.

local bridge = require("draftwire.bridge")
local config = require("draftwire.config")
local ghost = require("draftwire.ghost")
local lsp = require("draftwire.lsp")
local memory_of_suggestions = require("draftwire.memory")
local place_of = require("draftwire.place")
local scope = require("draftwire.scope")
local trace = require("draftwire.trace")
local wire = require("draftwire.wire")

local M = {}

---@type table<integer, draftwire.Memory> by buffer
local memories = vim.defaulttable(memory_of_suggestions.new)

---@class draftwire.Moment
---@field buffer integer
---@field tick integer
---@field row integer
---@field col integer

---@type draftwire.Moment? the one that was looked at last
local seen
---@type draftwire.Moment? the one at which the user wants to see nothing
local dismissed
---@type { at?: draftwire.Moment, texts: string[] } what was dismissed at one moment, in order
local put_away = { texts = {} }

---@param buffer integer
---@param place draftwire.Place
---@return draftwire.Moment
local function moment(buffer, place)
  return { buffer = buffer, tick = vim.api.nvim_buf_get_changedtick(buffer), row = place.row, col = place.col }
end

---@param buffer integer
---@param reason string
local function show_nothing(buffer, reason)
  ghost.clear()
  lsp.cancel(buffer)
  seen = nil
  trace.nothing(buffer, reason)
end

--- Draw what fits.
---@param buffer integer
---@param place draftwire.Place
---@param fit draftwire.Fit
local function show(buffer, place, fit)
  local item = fit.items[fit.index]
  local memory = memories[buffer]
  local is_other = ghost.shown() == nil or memory.shown_id ~= item.id
  memory.shown_id = item.id
  ghost.show({
    buffer = buffer,
    row = place.row,
    col = place.col,
    text = item.text:sub(fit.typed + 1),
    verified = memory_of_suggestions.verified_after(item, fit.typed),
    item = item,
    answer = fit.answer,
    typed = fit.typed,
    index = fit.index,
    count = #fit.items,
  }, config.options.counter and fit.answer.asked_for_more)
  if is_other then
    lsp.shown(buffer, item)
  end
end

--- Show what fits at the cursor.
---@param buffer integer
---@param place draftwire.Place
---@return boolean
local function show_what_fits(buffer, place)
  local fit = memories[buffer]:fitting(place)
  if fit then
    show(buffer, place, fit)
  else
    ghost.clear()
  end
  return fit ~= nil
end

--- Remember an answer and look again. The user may have typed along since the question.
---@param buffer integer
---@param asked draftwire.Place
---@param by_hand boolean
---@return draftwire.OnAnswer
local function answered(buffer, asked, by_hand)
  return function(items, row, col)
    if #items == 0 then
      trace.nothing(buffer, "nothing to suggest, as yet; the daemon says why below")
      return
    end
    local place = asked ---@type draftwire.Place?
    if row and (row ~= asked.row or col ~= asked.col) then
      if buffer ~= vim.api.nvim_get_current_buf() then
        return
      end
      place = place_of.behind(buffer, row, col or 0, place_of.of_cursor())
    end
    if place then
      memories[buffer]:remember(place, items, by_hand)
      if by_hand then
        memories[buffer].shown_id = items[1].id -- such a list begins with what is to be on the screen
      end
    end
    M.refresh()
  end
end

--- Nothing known fits: ask, if that is wanted.
---@param buffer integer
---@param place draftwire.Place
local function ask(buffer, place)
  if not config.options.auto then
    lsp.cancel(buffer)
    trace.nothing(buffer, "only when asked for (option auto)")
  elseif not lsp.ask(buffer, place, false, answered(buffer, place, false)) then
    trace.nothing(buffer, bridge.problem or "the bridge takes no questions")
  end
end

--- Why nothing can be shown in the current buffer now; nil if something can.
---@param buffer integer
---@return string? reason
local function why_nothing(buffer)
  local off = scope.why_switched_off(buffer)
  if off then
    lsp.detach(buffer)
    return off
  end
  local hidden = scope.why_hidden(buffer)
  if hidden or lsp.client_of(buffer) then
    return hidden
  end
  lsp.attach(buffer)
  return scope.why_not_attached(buffer) or bridge.problem or "the bridge is starting"
end

--- Look at the cursor: draw, ask, or clear. Does nothing where it has looked already.
---@param again? boolean look all the same, but ask nothing
function M.update(again)
  local buffer = vim.api.nvim_get_current_buf()
  local hidden = why_nothing(buffer)
  if hidden then
    show_nothing(buffer, hidden)
    return
  end
  local place = place_of.of_cursor()
  local now = moment(buffer, place)
  if not again and vim.deep_equal(now, seen) then
    return
  end
  if vim.deep_equal(now, dismissed) then
    return
  end
  dismissed = nil
  local fits = show_what_fits(buffer, place)
  if not fits and again then
    return -- and ask when the key's own event comes
  end
  seen = now
  if not fits then
    ask(buffer, place)
  end
end

--- Look again: what is known has changed.
function M.refresh()
  if vim.api.nvim_get_mode().mode:sub(1, 1) == "i" and config.options.display == "plugin" then
    local before = seen
    M.update(true)
    if before == nil then -- it was hidden; now ask as well
      seen = nil
      M.update()
    end
  end
end

--- What is on the screen, brought up to what was typed: while keys are waiting Neovim tells of no change.
---@return draftwire.Shown?
function M.shown_now()
  if ghost.shown() then
    M.refresh()
  end
  return ghost.shown()
end

--- What was dismissed here comes last: who asks all the same wants another.
---@param items draftwire.Item[]
---@param now draftwire.Moment
---@return draftwire.Item[]
local function others_first(items, now)
  if not vim.deep_equal(put_away.at, now) then
    return items
  end
  local by_turn = vim.defaulttable() ---@type table<integer, draftwire.Item[]> 0: never dismissed
  for _, item in ipairs(items) do
    local turn = 0
    for index, text in ipairs(put_away.texts) do
      turn = vim.startswith(item.text, text) and index or turn -- it may have another id now, and say more
    end
    table.insert(by_turn[turn], item)
  end
  local ordered = by_turn[0]
  for turn = 1, #put_away.texts do
    vim.list_extend(ordered, by_turn[turn])
  end
  return ordered
end

--- Ask by hand, and show the candidate that many steps further on, round and round.
---@param steps integer
local function ask_by_hand(steps)
  local buffer = vim.api.nvim_get_current_buf()
  local hidden = why_nothing(buffer)
  if hidden then
    show_nothing(buffer, hidden)
    return
  end
  local place, visible = place_of.of_cursor(), ghost.shown() ~= nil
  dismissed = nil
  local remember = answered(buffer, place, true)
  local now = moment(buffer, place)
  local asked = lsp.ask(buffer, place, true, function(items, ...)
    remember(others_first(items, now), ...)
    if visible and ghost.shown() then
      M.step(steps)
    end
  end)
  if not asked then
    trace.nothing(buffer, bridge.problem or "the bridge takes no questions")
  end
end

--- Show another of the candidates that are known.
---@param steps integer
---@return boolean false if there is no other
function M.step(steps)
  local buffer = vim.api.nvim_get_current_buf()
  if why_nothing(buffer) then
    return false
  end
  local place = place_of.of_cursor()
  local fit = memories[buffer]:fitting(place)
  if fit == nil or not fit.answer.asked_for_more or #fit.items < 2 then
    return false
  end
  fit.index = (fit.index - 1 + steps) % #fit.items + 1
  show(buffer, place, fit)
  return true
end

---@param steps integer
function M.cycle(steps)
  if not M.step(steps) then
    ask_by_hand(steps)
  end
end

function M.trigger()
  ask_by_hand(0)
end

function M.dismiss()
  local buffer, shown = vim.api.nvim_get_current_buf(), M.shown_now()
  ghost.clear()
  lsp.cancel(buffer)
  dismissed = moment(buffer, place_of.of_cursor())
  if not vim.deep_equal(put_away.at, dismissed) then
    put_away = { at = dismissed, texts = {} }
  end
  if shown then
    table.insert(put_away.texts, shown.text) -- the newest of equal ones counts
  end
end

--- A suggestion has changed, or the first text came after the answer.
---@param params any of `draftwire/suggestion`
function M.suggestion_changed(params)
  local buffer, change = wire.read_change(params)
  if buffer == nil or change == nil then
    return
  end
  local is_current = buffer == vim.api.nvim_get_current_buf()
  if not memories[buffer]:change(change) and change.kind ~= "withdrawn" and is_current then
    local place = place_of.behind(buffer, change.row, change.col, place_of.of_cursor())
    local item = { id = change.id, text = change.text, verified = change.verified, complete = change.complete }
    item.before, item.along, item.own = 0, 0, 0
    if place and change.text ~= "" then
      memories[buffer]:remember(place, { item }, false)
    end
  end
  if is_current then
    M.refresh()
  end
end

--- Leave the screen clean, and stop what is under way.
function M.leave()
  ghost.clear()
  lsp.cancel(vim.api.nvim_get_current_buf())
  seen = nil
end

--- Look at the cursor as if for the first time: who answers has changed.
function M.look_anew()
  seen = nil
  M.refresh()
end

--- Forget what was suggested in a buffer, or in all.
---@param buffer? integer
function M.forget(buffer)
  for known in pairs(memories) do
    if buffer == nil or buffer == known then
      memories[known] = nil
    end
  end
end

--- Forget what was suggested in a buffer and ask anew: its grammar is another, and may forbid it.
---@param buffer integer
function M.begin_anew(buffer)
  M.forget(buffer)
  lsp.cancel(buffer)
  local shown = ghost.shown()
  if shown and shown.buffer == buffer then
    ghost.clear()
  end
  if buffer == vim.api.nvim_get_current_buf() then
    M.look_anew()
  end
end

return M
