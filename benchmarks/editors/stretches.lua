-- How long each call of the plugin's own code takes in Neovim: from the moment that the editor calls it until it
-- returns. To be run before the plugin is loaded, with the plugin's folder as argument; `Stretches.begin()` then starts
-- anew, `Stretches.found` has them: milliseconds, and those of the process's own time, which a busy machine does not
-- lengthen. Calls within calls are not counted by themselves.
local plugin = ...
local hrtime = vim.uv.hrtime

Stretches = { found = {} }

local depth = 0

local function timed(callback)
  return function(...)
    depth = depth + 1
    local began, cpu_began = hrtime(), os.clock()
    local results = vim.F.pack_len(pcall(callback, ...))
    depth = depth - 1
    if depth == 0 then
      table.insert(Stretches.found, { (hrtime() - began) / 1e6, (os.clock() - cpu_began) * 1e3 })
    end
    if not results[1] then
      error(results[2], 0)
    end
    return unpack(results, 2, results.n)
  end
end

local function is_ours(callback)
  return type(callback) == "function" and vim.startswith(debug.getinfo(callback, "S").source, "@" .. plugin)
end

local create_autocmd, schedule, schedule_wrap = vim.api.nvim_create_autocmd, vim.schedule, vim.schedule_wrap

vim.api.nvim_create_autocmd = function(events, options)
  if is_ours(options.callback) then
    options.callback = timed(options.callback)
  end
  return create_autocmd(events, options)
end

vim.schedule = function(callback)
  return schedule(is_ours(callback) and timed(callback) or callback)
end

vim.schedule_wrap = function(callback)
  return schedule_wrap(is_ours(callback) and timed(callback) or callback)
end

-- Neovim's own client tells the bridge of each change from in here; no other server runs.
local attach = vim.api.nvim_buf_attach
vim.api.nvim_buf_attach = function(buffer, send_buffer, callbacks)
  if callbacks.on_lines then
    callbacks.on_lines = timed(callbacks.on_lines)
  end
  return attach(buffer, send_buffer, callbacks)
end

--- Once the plugin runs.
function Stretches.begin()
  local lsp = require("draftwire.lsp")
  if Stretches.ask == nil then
    Stretches.ask = lsp.ask
    lsp.ask = function(buffer, place, by_hand, on_answer)
      return Stretches.ask(buffer, place, by_hand, timed(on_answer))
    end
    for _, method in ipairs({ "draftwire/suggestion", "draftwire/status" }) do
      vim.lsp.handlers[method] = timed(vim.lsp.handlers[method])
    end
  end
  Stretches.found = {}
end
