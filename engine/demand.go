package engine

import (
	"context"
	"slices"
	"time"
)

// demand is what a goroutine that waits needs leaves for.
type demand struct{ met func() bool }

// Wait implements Engine.
func (e *shuffled) Wait(ctx context.Context, v *Var) error {
	if v != nil && v.core == &e.core {
		sequence := v.Sequence()
		defer e.runFor(ctx, v, func() bool { return v.version.Load()+v.lost.Load() >= sequence })()
	}
	return e.core.Wait(ctx, v)
}

// WaitAll implements Engine.
func (e *shuffled) WaitAll(ctx context.Context) error {
	defer e.runFor(ctx, nil, e.isEmpty)()
	return e.core.WaitAll(ctx)
}

// Close implements Engine.
func (e *shuffled) Close(ctx context.Context) error {
	e.mu.Lock()
	defer e.demand(e.acceptsDone)()
	return e.core.Close(ctx)
}

// runFor runs leaves until met holds. Where the leaves do not suffice, or another goroutine runs them already, it leaves a
// demand for as long as the caller waits. It begins with what was gathered in bulk for v, or for all variables if v is nil.
func (e *shuffled) runFor(ctx context.Context, v *Var, met func() bool) (end func()) {
	metOrEnded := func() bool { return met() || ctx.Err() != nil }
	e.mu.Lock()
	e.intake.mu.Lock()
	for _, b := range slices.Clone(e.intake.open) {
		if v == nil || b == v.open {
			b.close()
		}
	}
	e.intake.mu.Unlock()
	e.absorb()
	e.route()
	if e.busy {
		return e.demand(metOrEnded)
	}
	e.runUntil(metOrEnded)
	e.mu.Lock()
	if metOrEnded() {
		e.unlock()
		return func() {}
	}
	return e.demand(metOrEnded)
}

// demand makes those who run leaves go on until met holds or end is called. The caller holds core.mu, which demand lets go of.
func (e *shuffled) demand(met func() bool) (end func()) {
	d := &demand{met}
	e.demands = append(e.demands, d)
	e.unlock()
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.demands = slices.DeleteFunc(e.demands, func(other *demand) bool { return other == d })
	}
}

// wake runs leaves for goroutines that wait and found none to run, in a goroutine of its own, which nothing else depends on.
func (e *shuffled) wake() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.busy || len(e.leaves) == 0 || e.signals.paused.Load() || e.satisfied() {
		return
	}
	e.busy = true
	go func() {
		e.mu.Lock()
		e.runUntil(e.satisfied)
	}()
}

func (e *shuffled) offer() { e.wake() }

// satisfied reports whether nobody waits for leaves. The caller holds core.mu.
func (e *shuffled) satisfied() bool {
	return !slices.ContainsFunc(e.demands, func(d *demand) bool { return !d.met() })
}

// silence is the time in which nobody pushes or waits. It is counted in ticks, so that a process which does not get a processor for a
// while does not take that for silence.
type silence struct {
	ticks  int // since the latest push
	ticker *time.Timer
	on     bool // the ticker is running
}

const (
	silenceTick  = 2 * time.Millisecond
	silenceTicks = 10
)

// listen waits for silence if there is something to run then. The caller holds core.mu.
func (e *shuffled) listen() {
	if len(e.leaves) > 0 && !e.silence.on {
		e.silence.ticks = 0
		e.nextTick()
	}
}

func (e *shuffled) nextTick() {
	e.silence.on = true
	if e.silence.ticker == nil {
		e.silence.ticker = time.AfterFunc(silenceTick, e.tick)
	} else {
		e.silence.ticker.Reset(silenceTick)
	}
}

// tick runs what was left over when nobody has pushed for long enough, until somebody does.
func (e *shuffled) tick() {
	e.mu.Lock()
	e.silence.on = false
	switch {
	case e.busy || len(e.leaves) == 0 || e.signals.paused.Load(): // Whoever changes that listens again.
		e.mu.Unlock()
	case e.silence.ticks < silenceTicks:
		e.silence.ticks++
		e.nextTick()
		e.mu.Unlock()
	default:
		e.runUntil(func() bool { return e.silence.ticks == 0 })
	}
}

func (e *shuffled) resume() {
	e.mu.Lock()
	e.listen()
	e.mu.Unlock()
}
