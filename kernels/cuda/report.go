package cuda

import (
	"fmt"
	"io"
	"slices"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// Report writes what was found of CUDA, a line each for libraries and devices, and why not what was not. The error is that of w.
func Report(w io.Writer) error { return registered.report(w) }

func (b *Backend) report(w io.Writer) error {
	f, problem := b.open()
	var lines []string
	libraries := f.libraries
	if c, ok := f.driver.(driver.Compiler); ok {
		libraries = append(slices.Clip(libraries), c.NVRTC())
	}
	for _, l := range libraries {
		line := fmt.Sprintf("%-8s %s", l.Name, l.File)
		if l.File == "" {
			line += "not found"
		}
		if l.Problem != "" {
			line += ": " + l.Problem
		}
		lines = append(lines, line)
	}
	if problem != nil {
		lines = append(lines, fmt.Sprintf("gpu      none: %v", problem))
	} else {
		lines = append(lines, fmt.Sprintf("CUDA     %d.%d", f.driver.Version()/1000, f.driver.Version()%1000/10))
	}
	for _, u := range f.units {
		lines = append(lines, fmt.Sprintf("%-8v %s", u.device, u.describe()))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// describe returns what the device is, and whether it can be used.
func (u *unit) describe() string {
	p, err := u.driver.Describe(u.device.Index)
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%s, compute capability %d.%d, %d multiprocessors, %d MiB", p.Name, p.Major, p.Minor, p.Processors, p.Memory>>20)
	if _, err := u.use(); err != nil {
		text += ": " + err.Error()
	}
	if last := u.refusal.Load(); last != nil {
		text += fmt.Sprintf("; kernels of weft have computed %d calls that libraries refused, the last: %v", u.counters.Activity().Refused, *last)
	}
	if last := u.notKept.Load(); last != nil {
		text += fmt.Sprintf("; %d times work was not kept as a graph, the last: %v", u.counters.Activity().NotKept, *last)
	}
	return text
}
