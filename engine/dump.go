package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// What WriteText lists at most of a kind, before it counts.
const (
	listedLines     = 32 // of operations that wait, and as many of others
	listedVariables = 16
	listedPerLine   = 4
)

// Dump implements Engine.
func (c *core) Dump(w io.Writer) error { return c.Snapshot().WriteText(w) }

// WriteText writes s for people: what the engine as a whole does, the operations in order of number with what each
// waits for (equal ones in a row as one), the variables that something waits for with those who hold them, and the
// critical path. Of thousands of operations it lists the first, says how many more there are, and stays short. It
// returns the error of w.
func (s Snapshot) WriteText(w io.Writer) error {
	var page bytes.Buffer
	s.writeHeader(&page)
	if len(s.Pending) > 0 {
		s.writeOperations(&page)
		s.writeVariables(&page)
		s.writeCriticalPath(&page)
	}
	_, err := w.Write(page.Bytes())
	return err
}

func (s *Snapshot) writeHeader(page *bytes.Buffer) {
	var states [Issued + 1]int
	pending, waits := 0, 0
	for _, p := range s.Pending {
		pending += p.Operations
		states[p.State] += p.Operations
		if p.Wait {
			waits++
		}
	}
	fmt.Fprintf(page, "engine %s: %s pending", s.Engine, count(pending, "operation"))
	separator := ": "
	for _, state := range []State{Running, Issued, Ready, Parked, Held, Waiting, Gathered} {
		if states[state] > 0 {
			fmt.Fprintf(page, "%s%d %s", separator, states[state], state)
			separator = ", "
		}
	}
	fmt.Fprintf(page, "\n%d done so far, of which %d failed and %d were skipped\n", s.Stats.Done, s.Stats.Failed, s.Stats.Skipped)
	if s.Stopped {
		page.WriteString("stopped: what is ready waits for Start\n")
	}
	if s.Closed {
		page.WriteString("closed: what is pushed is refused\n")
	}
	if waits > 0 {
		fmt.Fprintf(page, "%s in Wait\n", count(waits, "goroutine"))
	}
	if s.Blocked > 0 {
		fmt.Fprintf(page, "%s in WaitAll, Stop or Close\n", count(s.Blocked, "goroutine"))
	}
	for _, t := range s.Throttled {
		fmt.Fprintf(page, "a goroutine in Push is throttled until %s\n", t.reason())
	}
}

func (t Throttled) reason() string {
	var reasons []string
	if t.Operations > 0 {
		reasons = append(reasons, count(int(t.Operations), "more operation")+" ended")
	}
	if t.Bytes > 0 {
		reasons = append(reasons, fmt.Sprintf("%d bytes are given back", t.Bytes))
	}
	return strings.Join(append(reasons, "or no worker runs anything"), ", ")
}

// count returns "1 thing", "2 things".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// contention is who holds a variable, and who waits for it.
type contention struct {
	Variable
	holders, waiting []string
}

// contentions returns the variables that something waits for or that are in error: those that most wait for first.
func (s *Snapshot) contentions() []contention {
	byNumber := map[uint64]*contention{}
	all := make([]contention, len(s.Variables))
	for i, v := range s.Variables {
		all[i].Variable = v
		byNumber[v.Number] = &all[i]
	}
	for _, p := range s.Pending {
		who := fmt.Sprintf("#%d %s", p.Number, p.Name)
		for _, a := range p.Accesses {
			c := byNumber[a.Variable]
			waits := slices.ContainsFunc(p.After, func(h Holder) bool { return h.Variable == a.Variable })
			switch {
			case waits && p.State == Waiting:
				c.waiting = append(c.waiting, who)
			case p.State != Gathered:
				c.holders = append(c.holders, who)
			}
		}
	}
	all = slices.DeleteFunc(all, func(c contention) bool { return len(c.waiting) == 0 && c.Err == nil })
	slices.SortStableFunc(all, func(a, b contention) int { return cmp.Compare(len(b.waiting), len(a.waiting)) })
	return all
}

func (s *Snapshot) writeVariables(page *bytes.Buffer) {
	all := s.contentions()
	if len(all) == 0 {
		return
	}
	page.WriteString("\nvariables:\n")
	for _, c := range all[:min(len(all), listedVariables)] {
		fmt.Fprintf(page, "  v%d: held by %s", c.Number, enumerate(c.holders))
		if len(c.waiting) > 0 {
			fmt.Fprintf(page, "; %d behind: %s", len(c.waiting), enumerate(c.waiting))
		}
		if c.Err != nil {
			fmt.Fprintf(page, "; in error: %v", c.Err)
		}
		page.WriteString("\n")
	}
	if left := len(all) - listedVariables; left > 0 {
		fmt.Fprintf(page, "  and %d more\n", left)
	}
}

func (s *Snapshot) writeCriticalPath(page *bytes.Buffer) {
	path := s.CriticalPath()
	if len(path) < 2 {
		return
	}
	fmt.Fprintf(page, "\ncritical path, %d long:\n ", len(path))
	for i, p := range path {
		if i >= listedPerLine && len(path)-i > listedPerLine {
			if i == listedPerLine {
				fmt.Fprintf(page, " -> %d more", len(path)-2*listedPerLine)
			}
			continue
		}
		if i > 0 {
			page.WriteString(" ->")
		}
		fmt.Fprintf(page, " #%d %s", p.Number, p.Name)
	}
	page.WriteString("\n")
}
