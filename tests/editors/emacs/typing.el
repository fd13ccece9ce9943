;;; typing.el --- One user's typing, for test_eglot.py  -*- lexical-binding: t; -*-

;; Called with: INIT (what the user has in their init file) FILE TEXT (typed at the end of FILE).
;; Takes the suggestion by `completion-at-point' and saves.

(require 'eglot)

(setq eglot-sync-connect t
      eglot-connect-timeout 60
      completion-styles '(basic))

(defun typing-until (what condition)
  "Wait until CONDITION holds, for a minute at the most; WHAT it is, for people."
  (let ((tries 600))
    (while (not (funcall condition))
      (when (zerop (setq tries (1- tries)))
        (error "Waited in vain for %s" what))
      (accept-process-output nil 0.1))))

(defun typing-candidates ()
  "What the completion at point offers now."
  (let ((capf (eglot-completion-at-point)))
    (all-completions (buffer-substring (nth 0 capf) (nth 1 capf)) (nth 2 capf))))

(pcase-let ((`(,init ,file ,text) command-line-args-left))
  (setq command-line-args-left nil)
  (load init nil t)
  (find-file file)
  (run-hooks 'post-command-hook)        ; batch mode has no command loop; eglot connects from there
  (unless (eglot-current-server)
    (error "Eglot has not connected"))
  (goto-char (point-max))
  (dolist (key (split-string text "" t))
    (insert key))
  (typing-until "a suggestion" #'typing-candidates)
  (message "Offered: %S" (mapcar #'substring-no-properties (typing-candidates)))
  (completion-at-point)
  (let ((require-final-newline nil))
    (save-buffer))
  (eglot-shutdown (eglot-current-server)))
