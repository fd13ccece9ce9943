--- Between the protocol's shapes and ours: line ends become LF, units become bytes. What is malformed gives nothing.

local place_of = require("draftwire.place")

local M = {}

---@param text string
---@return string
local function with_lf(text)
  return (text:gsub("\r\n", "\n"))
end

---@param text string as it came
---@param units any
---@param encoding string
---@return integer bytes of the text with LF line ends
local function verified_bytes(text, units, encoding)
  return #with_lf(text:sub(1, place_of.bytes_of(text, tonumber(units) or 0, encoding)))
end

---@param raw lsp.InlineCompletionItem
---@param encoding string
---@return draftwire.Item?
local function item_of(raw, encoding)
  local arguments = vim.tbl_get(raw, "command", "arguments")
  local text = raw.insertText
  if type(text) ~= "string" or type(arguments) ~= "table" or type(arguments[1]) ~= "number" then
    return nil
  end
  local detail = type(arguments[3]) == "table" and arguments[3] or {}
  return {
    id = arguments[1],
    text = with_lf(text),
    verified = verified_bytes(text, detail.verifiedLength, encoding),
    complete = detail.complete == true,
    before = tonumber(detail.typed) or 0,
    along = 0,
    own = 0,
  }
end

---@param buffer integer
---@param position any
---@param encoding string
---@return integer? row from 0
---@return integer? col bytes
local function row_and_col(buffer, position, encoding)
  if type(position) ~= "table" or type(position.line) ~= "number" or type(position.character) ~= "number" then
    return nil
  end
  local line = vim.api.nvim_buf_get_lines(buffer, position.line, position.line + 1, false)[1]
  return position.line, line and place_of.bytes_of(line, position.character, encoding)
end

--- The items of an answer and where they begin; none if it is not one.
---@param buffer integer
---@param result any
---@param encoding string
---@return draftwire.Item[] items
---@return integer? row from 0
---@return integer? col
function M.read_answer(buffer, result, encoding)
  local raw = type(result) == "table" and (result.items or result) or {}
  local items, row, col = {}, nil, nil
  for _, one in ipairs(raw) do
    local item = type(one) == "table" and item_of(one, encoding)
    if item and item.text ~= "" then
      table.insert(items, item)
      row, col = row_and_col(buffer, vim.tbl_get(one, "range", "start"), encoding)
    end
  end
  return items, row, col
end

--- The parameters of `draftwire/suggestion` for a buffer that is attached.
---@param params any
---@return integer? buffer nil if they are for none, or are no such parameters
---@return draftwire.Change? change nil if it is of no use there
function M.read_change(params)
  if type(params) ~= "table" or type(params.uri) ~= "string" or type(params.text) ~= "string" then
    return nil
  end
  local buffer, encoding = require("draftwire.lsp").buffer_of(params.uri)
  if buffer == nil or encoding == nil then
    return nil
  end
  local row, col = row_and_col(buffer, params.position, encoding)
  if row == nil or col == nil or type(params.id) ~= "number" then
    return buffer, nil
  end
  ---@type draftwire.Change
  local change = {
    kind = params.kind,
    id = params.id,
    row = row,
    col = col,
    text = with_lf(params.text),
    verified = verified_bytes(params.text, params.verifiedLength, encoding),
    complete = params.complete == true,
  }
  return buffer, change
end

---@param buffer integer
---@param item draftwire.Item
---@param kind draftwire.Part
---@return table item as the bridge knows it
function M.raw_item(buffer, item, kind)
  local length = item.before + vim.fn.strchars(item.text)
  local detail = { uri = vim.uri_from_bufnr(buffer), typed = item.before, kind = kind }
  return {
    insertText = item.text,
    command = { title = "accepted", command = "draftwire.accepted", arguments = { item.id, length, detail } },
  }
end

return M
