--- The language client: which buffers the bridge knows of, and what is asked of it and told to it.

local bridge = require("draftwire.bridge")
local config = require("draftwire.config")
local notice = require("draftwire.notice")
local place_of = require("draftwire.place")
local scope = require("draftwire.scope")
local trace = require("draftwire.trace")
local wire = require("draftwire.wire")

local M = {}

local NAME = "draftwire"
local INLINE_COMPLETION = "textDocument/inlineCompletion"
local AUTOMATIC, INVOKED = 2, 1
local CANCELLED, CONTENT_MODIFIED, SERVER_CANCELLED = -32800, -32801, -32802

---@type table<integer, integer> client id by buffer, once the bridge has got the buffer's text
local attached = {}
---@type table<integer, integer> number of the request under way by buffer
local under_way = {}
---@type integer? id of the client that was started last
local started

local methods = vim.fn.has("nvim-0.11") == 1

--- Call a method of a client: before 0.11 they are plain functions.
---@param client vim.lsp.Client
---@param name string
---@param ... any
local function call(client, name, ...)
  if methods then
    return client[name](client, ...)
  end
  return client[name](...)
end

---@param buffer integer
---@return vim.lsp.Client?
function M.client_of(buffer)
  local id = attached[buffer]
  return id and vim.lsp.get_client_by_id(id)
end

--- Whether this is the bridge, and runs: Neovim keeps a client for a moment after its process has ended.
---@param client vim.lsp.Client
---@return boolean
local function is_running(client)
  return client.name == NAME and not call(client, "is_stopped")
end

---@return vim.lsp.Client? the running one, once it has said what it can do
function M.client()
  return vim.iter(vim.lsp.get_clients({ name = NAME })):find(is_running)
end

---@return boolean whether the bridge has been started and has not ended, even if it has said nothing yet
function M.is_started()
  local client = started and vim.lsp.get_client_by_id(started)
  return client ~= nil and is_running(client)
end

---@return lsp.ClientCapabilities
local function capabilities()
  local own = vim.lsp.protocol.make_client_capabilities()
  own.textDocument.inlineCompletion = { dynamicRegistration = false }
  -- Bytes need no conversion; but before 0.11 Neovim complains of clients that disagree, and most take UTF-16.
  own.general = own.general or {}
  own.general.positionEncodings = methods and { "utf-8", "utf-16" } or { "utf-16", "utf-8" }
  return own
end

---@return table settings of the user's, an object in JSON also where there are none
local function settings()
  local own = config.options.settings
  return next(own) and own or vim.empty_dict()
end

---@param client vim.lsp.Client
local function initialized(client)
  if client.server_capabilities.inlineCompletionProvider then
    bridge.works()
    return
  end
  local version = vim.tbl_get(client, "server_info", "version") or "unknown"
  bridge.fail(("the bridge (version %s) is too old; run: pipx upgrade draftwire"):format(version))
end

--- The bridge tells the user what only they can mend.
---@param _ any
---@param params any of `window/showMessage`
local function message_shown(_, params)
  if type(params) == "table" and type(params.message) == "string" then
    trace.event(params.message)
    local is_error = params.type == vim.lsp.protocol.MessageType.Error
    notice.tell(params.message, ":Draftwire why", is_error and vim.log.levels.ERROR or nil)
  end
end

--- Let the bridge know of a buffer, if suggestions are offered there; starts the bridge if need be.
---@param buffer integer
function M.attach(buffer)
  if attached[buffer] or not vim.api.nvim_buf_is_loaded(buffer) or scope.why_not_attached(buffer) then
    return
  end
  if M.client() == nil and not bridge.may_start() then
    return
  end
  local id = vim.lsp.start({
    name = NAME,
    cmd = bridge.starter(function()
      M.attach(vim.api.nvim_get_current_buf())
    end),
    root_dir = vim.uv.cwd(),
    capabilities = capabilities(),
    init_options = { settings = settings() },
    flags = { debounce_text_changes = 0 }, -- the draft begins with the change, not with the question
    on_init = initialized,
    handlers = { ["window/showMessage"] = message_shown },
  }, {
    bufnr = buffer,
    reuse_client = is_running,
  })
  started = id
  if id == nil then
    bridge.fail("the bridge could not be started; see :Draftwire log")
  end
end

--- Take a buffer from the bridge.
---@param buffer integer
function M.detach(buffer)
  local client = M.client_of(buffer)
  if client and vim.lsp.buf_is_attached(buffer, client.id) then
    vim.lsp.buf_detach_client(buffer, client.id)
  end
  attached[buffer], under_way[buffer] = nil, nil
end

--- The bridge has got a buffer's text. (The client says that it is attached before it has sent that.)
---@param buffer integer
---@param client_id integer
---@return boolean ours
function M.opened(buffer, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  if client == nil or client.name ~= NAME then
    return false
  end
  attached[buffer] = client_id
  return true
end

---@param buffer integer
---@param client_id integer
function M.closed(buffer, client_id)
  if attached[buffer] == client_id then
    attached[buffer], under_way[buffer] = nil, nil
  end
end

--- End the bridge; buffers are attached anew by who wants that.
function M.stop()
  local client = M.client()
  if client then
    call(client, "stop")
  end
  attached, under_way = {}, {}
end

---@param buffer integer
function M.cancel(buffer)
  local client, id = M.client_of(buffer), under_way[buffer]
  under_way[buffer] = nil
  if client and id then
    call(client, "cancel_request", id)
  end
end

---@alias draftwire.OnAnswer fun(items: draftwire.Item[], row?: integer, col?: integer)

--- Ask what to show at a place; the question before is taken back. `on_answer` isn't called if this one is.
---@param buffer integer
---@param place draftwire.Place the cursor's
---@param by_hand boolean all candidates, not the best alone
---@param on_answer draftwire.OnAnswer
---@return boolean asked false if the bridge doesn't know the buffer
function M.ask(buffer, place, by_hand, on_answer)
  M.cancel(buffer)
  local client = M.client_of(buffer)
  if client == nil or not client.server_capabilities.inlineCompletionProvider then
    return false
  end
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = place_of.lsp_position(place, client.offset_encoding),
    context = { triggerKind = by_hand and INVOKED or AUTOMATIC },
  }
  local id ---@type integer?
  local sent, number = call(client, "request", INLINE_COMPLETION, params, function(err, result)
    if under_way[buffer] ~= id or not vim.api.nvim_buf_is_valid(buffer) then
      return
    end
    under_way[buffer] = nil
    if err then
      local expected = { [CANCELLED] = true, [CONTENT_MODIFIED] = true, [SERVER_CANCELLED] = true }
      trace.nothing(buffer, expected[err.code] and "overtaken" or "the bridge: " .. tostring(err.message))
      return
    end
    on_answer(wire.read_answer(buffer, result, client.offset_encoding))
  end, buffer)
  id = sent and number or nil
  under_way[buffer] = id
  return sent
end

---@return integer[] buffers that the bridge knows of
function M.buffers()
  return vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.tbl_keys(attached))
end

---@param uri string
---@return integer? buffer the one that the bridge knows by this name
---@return string? encoding
function M.buffer_of(uri)
  for buffer in pairs(attached) do
    local client = M.client_of(buffer)
    if client and vim.api.nvim_buf_is_loaded(buffer) and vim.uri_from_bufnr(buffer) == uri then
      return buffer, client.offset_encoding
    end
  end
end

--- This is on the screen now.
---@param buffer integer
---@param item draftwire.Item
function M.shown(buffer, item)
  local client = M.client_of(buffer)
  if client then
    call(client, "notify", "textDocument/didShowCompletion", { item = wire.raw_item(buffer, item, "all") })
  end
end

--- The user took the next bytes of what is shown.
---@param buffer integer
---@param shown draftwire.Shown
---@param length integer bytes of `shown.text`
---@param part draftwire.Part
function M.accepted(buffer, shown, length, part)
  local client = M.client_of(buffer)
  if client == nil then
    return
  end
  local item = wire.raw_item(buffer, shown.item, part)
  if length == #shown.text then
    call(client, "request", "workspace/executeCommand", {
      command = item.command.command,
      arguments = item.command.arguments,
    }, function() end, buffer)
    return
  end
  local taken = shown.item.text:sub(1, shown.typed + length)
  local units = place_of.units_of(taken, "utf-16") -- in this message always
  call(client, "notify", "textDocument/didPartiallyAcceptCompletion", { item = item, acceptedLength = units })
end

--- Tell the bridge this editor's settings anew.
function M.configure()
  local client = M.client()
  if client then
    call(client, "notify", "workspace/didChangeConfiguration", { settings = { draftwire = settings() } })
  end
end

return M
