package engine

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/weft-nd/weft/fault"
)

// Watch logs, as warnings, the operations of e that have been in one state for longer than limit: which wait, are held
// up by Stop, are parked without memory, run, or are issued and not done. It logs each when limit is over, when twice
// that is over, and so on at doubling times, with these attributes: its name ("operation"), "number", "device", "site",
// "state", "place", for how long ("elapsed"), the operations that it comes after ("after"), what a parked one has no
// memory for ("shortage") and, of one that waits, an operation at the root of that, which does not wait ("root"). A nil
// logger is that of slog.Default at the time.
//
// It costs nothing where operations are pushed and run: it takes a Snapshot every quarter of limit, which is how late it may
// be. It keeps e alive until stop is called, by any goroutine, as often as one likes; when stop returns, nothing more is
// logged. The handler of logger must not call it. Watch panics with *Error if limit is not positive.
func Watch(e Engine, limit time.Duration, logger *slog.Logger) (stop func()) {
	if limit <= 0 {
		panic(&Error{Operator: "engine.Watch", Detail: fmt.Sprintf("a limit of %v", limit), Cause: fault.ErrParameter, Site: fault.Here(1)})
	}
	w := &watchdog{limit: limit, logger: logger}
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(max(1, limit/4))
		defer ticker.Stop()
		for {
			w.look(e.Snapshot(), time.Now())
			select {
			case <-ticker.C:
			case <-done:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		running.Wait()
	})
}

// watchFromEnvironment starts a watchdog for e that lasts as long as the process, if the environment asks for one.
func watchFromEnvironment(e Engine) {
	value := os.Getenv(watchdogVariable)
	if value == "" {
		return
	}
	limit, err := time.ParseDuration(value)
	if err != nil || limit <= 0 {
		panic(fault.Variable(watchdogVariable, value, "a positive duration, such as 10s"))
	}
	Watch(e, limit, nil)
}

// watchdog is what Watch remembers from one Snapshot to the next.
type watchdog struct {
	limit  time.Duration
	logger *slog.Logger
	seen   map[uint64]sighting // by number
}

// sighting is when an operation was first seen in its state, and the time in it that is worth the next warning.
type sighting struct {
	state State
	since time.Time
	next  time.Duration
}

// look compares s, taken now, with what was there before.
func (w *watchdog) look(s Snapshot, now time.Time) {
	seen := make(map[uint64]sighting, len(s.Pending))
	for i := range s.Pending {
		p := &s.Pending[i]
		if p.Wait {
			continue
		}
		state := p.State
		if p.Parked > 0 {
			state = Parked // It may try again at the moment.
		}
		before, found := w.seen[p.Number]
		if !found || before.state != state {
			before = sighting{state, now, w.limit}
		}
		if elapsed := max(p.Parked, now.Sub(before.since)); elapsed >= before.next {
			w.warn(&s, p, elapsed)
			for before.next <= elapsed {
				before.next *= 2
			}
		}
		seen[p.Number] = before
	}
	w.seen = seen
}

func (w *watchdog) warn(s *Snapshot, p *Pending, elapsed time.Duration) {
	logger := w.logger
	if logger == nil {
		logger = slog.Default()
	}
	attributes := []slog.Attr{
		slog.String("operation", p.Name), slog.Uint64("number", p.Number), slog.String("device", p.Device.String()),
		slog.String("site", p.Site.String()), slog.String("state", p.State.String()), slog.Duration("elapsed", elapsed),
	}
	if p.Place != "" {
		attributes = append(attributes, slog.String("place", p.Place))
	}
	if len(p.After) > 0 {
		attributes = append(attributes, slog.String("after", p.holders()))
	}
	if p.State == Parked {
		attributes = append(attributes, slog.String("shortage", p.shortage()))
	}
	if p.State == Waiting {
		root := s.root(p)
		attributes = append(attributes, slog.String("root", fmt.Sprintf("#%d %s, %s", root.Number, root.Name, root.progress())))
	}
	logger.LogAttrs(context.Background(), slog.LevelWarn, "operation takes long", attributes...)
}

// root returns an operation that p waits for, through others, and that does not wait itself.
func (s *Snapshot) root(p *Pending) *Pending {
	for p.State == Waiting && len(p.After) > 0 {
		p = &s.Pending[s.find(p.After[0].Number)]
	}
	return p
}
