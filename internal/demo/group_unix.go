// SPDX-License-Identifier: MPL-2.0

//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach gives a command a session of its own, so that Ctrl-C in the terminal
// reaches only the demo, which then ends its children in the right order.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// killGroup ends the processes that an ended command has left behind, such as
// the provider of a CLI that had to be killed.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		// It fails if no process is left, which is the usual case.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
