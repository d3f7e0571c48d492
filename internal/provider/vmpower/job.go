// SPDX-License-Identifier: MPL-2.0

package vmpower

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// progressInterval is how often a running job reports that it is still running.
const progressInterval = 30 * time.Second

// job is one operation on one VM.
type job struct {
	client    *tower.Client
	vm        *tower.VM // as it was before the operation
	operation string
	stop      tower.StopOptions
	say       func(message string)
}

// run carries out the operation and reports its progress.
func (j *job) run(ctx context.Context) error {
	if state := j.alreadyDone(); state != "" {
		j.report("%s already, so nothing is done", state)
		return nil
	}
	if j.operation == opShutdown && j.vm.Status == tower.StatusSuspended && !j.stop.Force {
		return errors.New("it is suspended, so its guest can't shut down, and force_power_off does not allow powering it off; " +
			"START it first, remove force_power_off, or use the operation POWER_OFF")
	}
	if j.vm.EntityAsyncStatus != "" {
		j.report("is busy with another operation (%s), which has to end first", j.vm.EntityAsyncStatus)
	}
	doing, note, done := j.describe()
	j.report("is %s%s", doing, note)
	j.stop.Forced = func(reason error) { j.report("%s", j.describeForced(reason)) }
	err := runWithTicks(ctx, progressInterval, func(elapsed time.Duration) { j.report("is still %s (%s so far)", doing, elapsed) }, j.act)
	if err != nil {
		return err
	}
	j.report("%s", done)
	return nil
}

// act sends the operation and waits until it has ended.
func (j *job) act(ctx context.Context) error {
	switch j.operation {
	case opStart:
		return j.client.StartVM(ctx, j.vm.ID, "")
	case opShutdown, opPowerOff:
		return j.client.StopVM(ctx, j.vm.ID, j.stop)
	}
	return j.client.RestartVM(ctx, j.vm.ID, j.stop)
}

// alreadyDone describes the VM's state if it is the one to which the operation
// leads, or else returns "".
func (j *job) alreadyDone() string {
	switch {
	case j.vm.EntityAsyncStatus != "":
	case j.operation == opStart && j.vm.Status == tower.StatusRunning:
		return "is running"
	case (j.operation == opShutdown || j.operation == opPowerOff) && j.vm.Status == tower.StatusStopped:
		return "is stopped"
	}
	return ""
}

// describe returns what is done to the VM, a remark on how, and the state of the
// VM afterwards.
func (j *job) describe() (doing, note, done string) {
	const runs, stopped, restarted = "is running", "is stopped", "has restarted"
	guest := fmt.Sprintf(": its guest is asked to, and may take %s", j.stop.Graceful)
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

// describeForced says why the guest is no longer waited for.
func (j *job) describeForced(reason error) string {
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

// report says something about the VM.
func (j *job) report(format string, args ...any) {
	j.say(fmt.Sprintf("VM %q (%s) ", j.vm.Name, j.vm.ID) + fmt.Sprintf(format, args...))
}

// runWithTicks calls run, and calls tick in each interval until run returns.
func runWithTicks(ctx context.Context, interval time.Duration, tick func(elapsed time.Duration), run func(context.Context) error) error {
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
