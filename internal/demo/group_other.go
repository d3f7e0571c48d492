// SPDX-License-Identifier: MPL-2.0

//go:build !unix

package main

import "os/exec"

// detach leaves the command as it is: there are no process groups here.
func detach(*exec.Cmd) {}

// killGroup does nothing: there are no process groups here.
func killGroup(*exec.Cmd) {}
