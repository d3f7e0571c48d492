// SPDX-License-Identifier: MPL-2.0

//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach gives a command a session of its own: Ctrl-C in the terminal reaches
// the demo alone, which then ends its children in the right order.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// killGroup ends what a command that is gone has left behind, such as the
// provider of a CLI that had to be killed.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		// It fails where nothing is left, which is the usual case.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
