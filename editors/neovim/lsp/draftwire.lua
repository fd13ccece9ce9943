-- For those who start language servers with vim.lsp.enable("draftwire") and let Neovim draw (0.12, see :help draftwire-core).
---@type vim.lsp.Config
return {
  cmd = { "draftwire", "lsp" },
  root_markers = { ".draftwire", ".git" },
}
