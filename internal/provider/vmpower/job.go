// SPDX-License-Identifier: MPL-2.0

package vmpower

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// sayEvery is how often a job that takes its time says that it is still at it.
const sayEvery = 30 * time.Second

// job is one operation on one VM.
type job struct {
	client    *tower.Client
	vm        *tower.VM // as it was found
	operation string
	stop      tower.StopOptions
	say       func(message string)
}

// run carries the operation out and says what happens.
func (j *job) run(ctx context.Context) error {
	if state := j.there(); state != "" {
		j.tell("%s already, so nothing is done", state)
		return nil
	}
	if j.operation == opShutdown && j.vm.Status == tower.StatusSuspended && !j.stop.Force {
		return errors.New("it is suspended, so its guest can't shut down, and powering it off is not allowed; START it first, or set force_power_off or the operation POWER_OFF")
	}
	if j.vm.EntityAsyncStatus != "" {
		j.tell("is busy with another operation (%s), which has to end first", j.vm.EntityAsyncStatus)
	}
	doing, note, done := j.words()
	j.tell("is %s%s", doing, note)
	j.stop.Forced = func(reason error) { j.tell("%s", j.forced(reason)) }
	err := during(ctx, sayEvery, func(elapsed time.Duration) { j.tell("is still %s (%s so far)", doing, elapsed) }, j.act)
	if err != nil {
		return err
	}
	j.tell("%s", done)
	return nil
}

// act sends the operation and waits for its end.
func (j *job) act(ctx context.Context) error {
	switch j.operation {
	case opStart:
		return j.client.StartVM(ctx, j.vm.ID, "")
	case opShutdown, opPowerOff:
		return j.client.StopVM(ctx, j.vm.ID, j.stop)
	}
	return j.client.RestartVM(ctx, j.vm.ID, j.stop)
}

// there tells that the VM is where the operation leads, in words, or returns "".
func (j *job) there() string {
	switch {
	case j.vm.EntityAsyncStatus != "":
	case j.operation == opStart && j.vm.Status == tower.StatusRunning:
		return "is running"
	case (j.operation == opShutdown || j.operation == opPowerOff) && j.vm.Status == tower.StatusStopped:
		return "is stopped"
	}
	return ""
}

// words tell what the VM is going through, something about it, and where the VM has got to.
func (j *job) words() (doing, note, done string) {
	const runs, stopped, restarted = "is running", "is stopped", "has restarted"
	guest := fmt.Sprintf(": its guest is asked, and has %s", j.stop.Graceful)
	switch {
	case j.operation == opStart && j.vm.Status == tower.StatusSuspended:
		return "being resumed", "", runs
	case j.operation == opStart:
		return "being started", "", runs
	case j.operation == opPowerOff:
		return "being powered off", "", stopped
	case j.operation == opShutdown && j.vm.Status == tower.StatusSuspended:
		return "being powered off", ", because it is suspended", stopped
	case j.operation == opShutdown:
		return "being shut down", guest, stopped
	case j.vm.Status == tower.StatusStopped:
		return "being started", ", because it was stopped", runs
	case j.operation == opForceRestart:
		return "being reset", "", restarted
	}
	return "being restarted", guest, restarted
}

// forced tells why a guest is not waited for any longer.
func (j *job) forced(reason error) string {
	var task *tower.TaskError
	why := "in time"
	if errors.As(reason, &task) {
		why = "(" + task.Error() + ")"
	}
	if j.operation == opShutdown {
		return fmt.Sprintf("is powered off, because its guest did not shut down %s", why)
	}
	return fmt.Sprintf("is reset, because its guest did not restart %s", why)
}

// tell says something about the VM.
func (j *job) tell(format string, args ...any) {
	j.say(fmt.Sprintf("VM %q (%s) ", j.vm.Name, j.vm.ID) + fmt.Sprintf(format, args...))
}

// during runs something and calls tick at each interval until it has ended.
func during(ctx context.Context, interval time.Duration, tick func(elapsed time.Duration), run func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for elapsed := interval; ; elapsed += interval {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
			tick(elapsed)
		}
	}
}
