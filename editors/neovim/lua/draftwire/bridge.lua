--- The bridge as a process: which command, how it is started, and what is done when it ends by itself.
---
--- One message for one trouble; then longer and longer waits; then none until the user asks for a restart.

local config = require("draftwire.config")
local notice = require("draftwire.notice")
local trace = require("draftwire.trace")

local M = {}

local STEADY_MS = 60000 -- a bridge that ran this long was no crash loop
local MOST_CRASHES = 6

--- Waits before it is started again: each twice the one before.
M.FIRST_WAIT_MS, M.LAST_WAIT_MS = 500, 30000

---@type string? why there is no bridge, and what to do
M.problem = nil

local crashes, told = 0, false
local timer ---@type uv.uv_timer_t?

---@return string[] command the `draftwire` program, with arguments if the option has some
function M.program()
  local given = config.options.command or "draftwire"
  local command = type(given) == "table" and vim.deepcopy(given) or { given }
  if command[1] == "draftwire" and vim.fn.executable("draftwire") == 0 then
    local home = vim.env.HOME or ""
    for _, folder in ipairs({ (vim.env.VIRTUAL_ENV or "") .. "/bin", home .. "/.local/bin" }) do
      if vim.fn.executable(folder .. "/draftwire") == 1 then -- a virtual environment's, or pipx's
        command[1] = folder .. "/draftwire"
        break
      end
    end
  end
  command[1] = vim.fs.normalize(command[1])
  return command
end

--- Take note of a trouble; the user is told of the first.
---@param problem string
function M.fail(problem)
  M.problem = problem
  trace.event(problem)
  if not told then
    told = true
    vim.schedule(function()
      notice.tell(problem, ":checkhealth draftwire")
    end)
  end
end

--- All is well again; the next trouble is told.
function M.works()
  M.problem, told = nil, false
end

--- Forget past troubles: the user wants another try.
function M.reset()
  crashes = 0
  M.works()
  if timer then
    timer:stop()
  end
end

---@return string? problem what to do if the program isn't there; nil if it is
function M.why_missing()
  local program = M.program()[1]
  if vim.fn.executable(program) == 0 then
    return ('there is no program %q; install it with: pipx install "draftwire[bundled-model]"'):format(program)
  end
end

--- Whether to start it now; tells the user if its program isn't there.
---@return boolean
function M.may_start()
  if crashes >= MOST_CRASHES or (timer and timer:is_active()) then
    return false
  end
  local missing = M.why_missing()
  if missing then
    M.fail(missing)
  end
  return missing == nil
end

---@param code integer
---@param signal integer
---@param ran_ms integer
---@param start_again fun()
local function ended(code, signal, ran_ms, start_again)
  crashes = ran_ms > STEADY_MS and 1 or crashes + 1
  local how = signal ~= 0 and ("by signal %d"):format(signal) or ("with code %d"):format(code)
  if crashes >= MOST_CRASHES then
    M.fail(("the bridge ended %s, %d times; :Draftwire restart tries again"):format(how, crashes))
    return
  end
  M.fail(("the bridge ended %s; it is started again"):format(how))
  timer = timer or assert(vim.uv.new_timer())
  local wait_ms = math.min(M.FIRST_WAIT_MS * 2 ^ (crashes - 1), M.LAST_WAIT_MS)
  timer:start(wait_ms, 0, vim.schedule_wrap(start_again))
end

--- What |vim.lsp.start()| takes as `cmd`. How the process ends is dealt with here, not told by Neovim each time.
---@param start_again fun() called some time after the process ended by itself
---@return fun(dispatchers: vim.lsp.rpc.Dispatchers): vim.lsp.rpc.PublicClient
function M.starter(start_again)
  return function(dispatchers)
    local wanted_end, started = false, vim.uv.now()
    local rpc ---@type vim.lsp.rpc.PublicClient
    local wrapped = vim.tbl_extend("force", dispatchers, {
      on_exit = function(code, signal)
        dispatchers.on_exit(0, 0)
        if not wanted_end and vim.v.exiting == vim.NIL then
          ended(code, signal, vim.uv.now() - started, start_again)
        end
      end,
      on_error = function(kind, detail)
        local name = vim.lsp.rpc.client_errors[kind] or kind
        M.fail(("what answers is not Draftwire's bridge (%s)"):format(tostring(name)))
        trace.event(vim.inspect(detail):sub(1, 200))
      end,
    })
    local command = vim.list_extend(M.program(), { "lsp", "--log-level", config.options.log_level })
    rpc = vim.lsp.rpc.start(command, wrapped)
    return vim.tbl_extend("force", rpc, {
      request = function(method, ...)
        wanted_end = wanted_end or method == "shutdown"
        return rpc.request(method, ...)
      end,
      terminate = function()
        wanted_end = true
        rpc.terminate()
      end,
    })
  end
end

return M
