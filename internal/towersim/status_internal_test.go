// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"testing"
	"time"
)

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 9999 * time.Millisecond: "9.9s", 10 * time.Second: "10s", 59999 * time.Millisecond: "59s",
		61 * time.Second: "1m01s", time.Hour: "1h00m", 49*time.Hour + 5*time.Minute + time.Second: "49h05m",
	} {
		if got := shortDuration(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestAxis(t *testing.T) {
	const week = 7 * 24 * time.Hour

	for _, c := range []struct {
		happened, waited time.Duration
		atLeast, atMost  time.Duration
		last             string
	}{
		{0, 0, 20 * time.Second, 30 * time.Second, "20s"},
		{127 * time.Second, 10 * time.Second, 127 * time.Second, 3 * time.Minute, "2m"},
		{time.Minute, time.Hour, 2 * time.Minute, 3 * time.Minute, "2m"}, // the rest stays readable during an endless wait
		{0, 90 * time.Second, 90 * time.Second, 2 * time.Minute, "1m30s"},
		{50 * time.Minute, 0, 50 * time.Minute, time.Hour, "50m"},
		{week, 0, week, 8 * 24 * time.Hour, "144h"},
	} {
		a := newAxis(c.happened, c.waited)
		if a.span < c.atLeast || a.span > c.atMost {
			t.Errorf("%+v: the axis is %v long", c, a.span)
		}

		marks := a.marks()
		if n := len(marks); n < 3 || n > maxTicks+1 || marks[n-1].At > 100 || marks[n-1].Label != c.last || marks[0].Label != "0" {
			t.Errorf("%+v: the marks are %v", c, marks)
		}
	}
}

func TestPercent(t *testing.T) {
	a := axis{span: 100 * time.Second}

	for offset, want := range map[time.Duration]float64{-time.Second: 0, 25 * time.Second: 25, 100 * time.Second: 100, time.Hour: 100} {
		place, on := a.percent(offset)
		if place != want || on != (offset <= a.span) {
			t.Errorf("%v: got %v %v", offset, place, on)
		}
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 GiB", gibibyte / 2: "0.5 GiB", 40 * gibibyte: "40 GiB", 3 * tebibyte: "3 TiB"} {
		if got := sizeText(bytes); got != want {
			t.Errorf("%d: got %s, want %s", bytes, got, want)
		}
	}

	if g := newGauge(5, 0); g.Percent != 0 {
		t.Errorf("5 of nothing is %v%%", g.Percent)
	}
}
