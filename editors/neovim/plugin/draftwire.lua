-- What is there from the start: the command, the <Plug> maps, and the events that load the rest.

if vim.g.loaded_draftwire then
  return
end
vim.g.loaded_draftwire = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.notify_once("Draftwire needs Neovim 0.10 or newer; this one can't draw text inside a line.", vim.log.levels.WARN)
  return
end

vim.api.nvim_create_user_command("Draftwire", function(arguments)
  require("draftwire.commands").run(arguments.fargs)
end, {
  nargs = "*",
  desc = "Draftwire: status, stats, why, log, restart, toggle",
  complete = function(lead, line)
    return require("draftwire.commands").complete(lead, line)
  end,
})

---@param name string
---@param keys fun(): string what to type in place of the map
---@param desc string
local function plug(name, keys, desc)
  vim.keymap.set("i", "<Plug>(draftwire-" .. name .. ")", keys, { expr = true, desc = "Draftwire: " .. desc })
end

for _, part in ipairs({ "all", "word", "line" }) do
  plug(part == "all" and "accept" or "accept-" .. part, function()
    return require("draftwire.accept").keys(part)
  end, "accept " .. part)
end
for name, desc in pairs({
  next = "show the next suggestion",
  previous = "show the previous suggestion",
  dismiss = "hide the suggestion",
  trigger = "ask for a suggestion",
}) do
  plug(name, function()
    return ("<Cmd>lua require('draftwire').%s()<CR>"):format(name)
  end, desc)
end

-- Plugin managers make the tags of the help; a folder that is on the runtime path by hand has none.
local doc = vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))), "doc")
if vim.uv.fs_stat(doc .. "/tags") == nil and vim.uv.fs_access(doc, "W") then
  pcall(vim.cmd.helptags, { doc, mods = { silent = true, emsg_silent = true } })
end

local group = vim.api.nvim_create_augroup("draftwire_start", { clear = true })
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "InsertEnter", "FileType" }, {
  group = group,
  desc = "Load Draftwire with the first buffer",
  callback = function()
    vim.api.nvim_clear_autocmds({ group = group })
    require("draftwire.events").start()
  end,
})
