--- Where suggestions are offered, and why not elsewhere. Asks nobody: knows buffers, modes and options alone.

local config = require("draftwire.config")

local M = {}

--- Whether Insert mode was entered from a block of several lines, each of which gets what is typed.
M.types_in_block = false

--- Files with secrets: nothing of them leaves the editor, whatever the options say.
-- stylua: ignore
local SECRET = {
  ".env*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.gpg", "*.kdbx",
  "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", ".pgpass", ".my.cnf", "credentials", "credentials.json",
  "secrets.{json,yml,yaml,toml}", "*.tfvars", "*.tfstate", "**/.ssh/**", "**/.gnupg/**", "**/.aws/**", "**/.kube/**",
}
local SAMPLE_LINES = 50

---@param globs string[]
---@return vim.regex[]
local function compiled(globs)
  return vim.tbl_map(function(glob)
    return vim.regex("\\c" .. vim.fn.glob2regpat(glob))
  end, globs)
end

local secret_patterns = compiled(SECRET)
---@type table<string[], vim.regex[]>
local patterns_of = setmetatable({}, { __mode = "k" })

---@param path string
---@param patterns vim.regex[]
---@return boolean
local function matches(path, patterns)
  local name = vim.fs.basename(path)
  for _, pattern in ipairs(patterns) do
    if pattern:match_str(path) or pattern:match_str(name) then
      return true
    end
  end
  return false
end

---@param buffer integer
---@return boolean
local function is_binary(buffer)
  if vim.bo[buffer].binary then
    return true
  end
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, SAMPLE_LINES, false)) do
    if line:find("[%z\n]") then -- a buffer holds a NUL byte as a line feed
      return true
    end
  end
  return false
end

---@param buffer integer
---@return integer bytes
local function size_of(buffer)
  return math.max(vim.api.nvim_buf_get_offset(buffer, vim.api.nvim_buf_line_count(buffer)), 0)
end

---@param buffer integer
---@return string? reason why nothing is suggested that the user may change at any moment, with no event told of it
function M.why_switched_off(buffer)
  if not config.options.enabled then
    return "switched off; :Draftwire toggle switches it on"
  end
  if vim.b[buffer].draftwire_enabled == false then
    return "switched off in this buffer (b:draftwire_enabled)"
  end
end

---@param buffer integer
---@return string? reason why the bridge is not told of this buffer at all; nil if it is
function M.why_not_attached(buffer)
  local off = M.why_switched_off(buffer)
  if off then
    return off
  end
  if vim.bo[buffer].buftype ~= "" then
    return "this is no file (buftype " .. vim.bo[buffer].buftype .. ")"
  end
  local path = vim.api.nvim_buf_get_name(buffer)
  if path ~= "" and matches(path, secret_patterns) then
    return "the file's name says that it holds secrets"
  end
  local exclude = config.options.exclude
  patterns_of[exclude] = patterns_of[exclude] or compiled(exclude)
  if path ~= "" and matches(path, patterns_of[exclude]) then
    return "the file is excluded (option exclude)"
  end
  local filetypes, filetype = config.options.filetypes, vim.bo[buffer].filetype
  local allowed = filetypes[filetype]
  if allowed == nil then
    allowed = filetypes["*"] ~= false
  end
  if not allowed and vim.b[buffer].draftwire_enabled ~= true then
    return ("switched off for filetype %q (option filetypes)"):format(filetype)
  end
  local limit = config.options.max_file_bytes
  if limit > 0 and size_of(buffer) > limit then
    return ("the file is larger than %d bytes (option max_file_bytes)"):format(limit)
  end
  if is_binary(buffer) then
    return "the file is binary"
  end
end

---@param buffer integer
---@return string? reason why nothing can be typed in this buffer, hence nothing is suggested; nil if something can
function M.why_unchangeable(buffer)
  if not vim.bo[buffer].modifiable then
    return "the buffer can't be changed (nomodifiable)"
  end
  if vim.bo[buffer].readonly then
    return "the buffer can't be changed (readonly)"
  end
end

--- Why nothing is shown at the cursor now, apart from what the daemon says; nil if something may be.
---@param buffer integer the current one
---@return string? reason
function M.why_hidden(buffer)
  local mode = vim.api.nvim_get_mode().mode
  if mode:sub(1, 1) ~= "i" then
    return "not in Insert mode"
  end
  if M.types_in_block then
    return "what is typed goes into each line of a block"
  end
  local unchangeable = M.why_unchangeable(buffer)
  if unchangeable then
    return unchangeable
  end
  if vim.b[buffer].draftwire_hidden then
    return "hidden by a completion menu (b:draftwire_hidden)"
  end
  if config.options.hide_with_menu and vim.fn.pumvisible() == 1 then
    return "the popup menu is open (option hide_with_menu)"
  end
  if vim.fn.reg_recording() ~= "" or vim.fn.reg_executing() ~= "" then
    return "a macro is recorded or run: what it types must not depend on suggestions"
  end
  if vim.o.paste then
    return "the option paste is on"
  end
end

return M
