-- For those who start servers with vim.lsp.enable("draftwire") and let Neovim 0.12 draw: see :help draftwire-core.

---@type vim.lsp.Config
return {
  cmd = { "draftwire", "lsp" },
  -- Not called back, Neovim tells the bridge nothing of the buffer: files with secrets, for example, stay here.
  root_dir = function(buffer, on_dir)
    if require("draftwire.scope").why_not_attached(buffer) == nil then
      on_dir(vim.fs.root(buffer, { ".draftwire", ".git" }))
    end
  end,
}
