;;; dap.el --- a stop in Emacs's dap-mode -*- lexical-binding: nil -*-
;; SPDX-License-Identifier: GPL-3.0-or-later
;; What is tested comes by the environment: DAP_FOLDER with array.c and array, DAP_PDDT, DAP_LINE.
(setq folder (getenv "DAP_FOLDER") done nil debug-on-error nil dap-auto-configure-features nil
      lsp-session-file (expand-file-name "lsp-session" folder) dap-breakpoints-file (expand-file-name "breakpoints" folder)
      user-emacs-directory (expand-file-name "emacs.d/" folder))
(package-initialize)
(require 'dap-mode)
(require 'dap-ui nil t)
(defun lsp-workspace-root (&rest _) folder)
(dap-register-debug-provider "pddt" (lambda (configuration) configuration))
(add-hook 'dap-stopped-hook
          (lambda (session) (message "STOPPED thread %S" (dap--debug-session-thread-id session)) (setq done t)))
(find-file (expand-file-name "array.c" folder))
(goto-char (point-min))
(forward-line (1- (string-to-number (getenv "DAP_LINE"))))
(dap-breakpoint-add)
(dap-start-debugging (list :type "pddt" :request "launch" :name "array" :program (expand-file-name "array" folder) :stopAt "none"
                           :cwd folder :dap-server-path (list (getenv "DAP_PDDT") "--dap")))
(let ((end (+ (float-time) 60)))
  (while (and (not done) (< (float-time) end))
    (accept-process-output nil 0.1)))
(kill-emacs (if done 0 1))
