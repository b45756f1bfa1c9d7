package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
)

// meal is an operation that takes memory and is followed by one that gives it back or makes it garbage. So whoever fits into the
// budget is served in the end, whatever the order, and whoever does not, fails.
type meal struct {
	number, to, from, bytes              int
	priority, lo, hi                     int // lo and hi are a range of what nobody reads; all of it is touched if both are zero
	counted, garbage, cancelled, replace bool
}

const (
	dietBudget = 10
	dietLength = 400
)

// dietDevices are those of the variables of a program; the budgets are for each device.
var dietDevices = []device.Device{device.CPU(0), device.CPU(0), device.CPU(1), device.Sim(0), device.Sim(1), device.CPU(0)}

func randomMeals(random *rand.Rand) []meal {
	meals := make([]meal, dietLength)
	for i := range meals {
		m := meal{
			number: i, to: random.IntN(len(dietDevices)), from: random.IntN(len(dietDevices)), bytes: random.IntN(dietBudget + 1),
			counted: random.IntN(3) > 0, garbage: random.IntN(2) == 0, cancelled: random.IntN(30) == 0, replace: random.IntN(4) == 0,
		}
		if random.IntN(30) == 0 {
			m.bytes += dietBudget + 1
		}
		if random.IntN(6) > 0 {
			m.lo = random.IntN(20)
			m.hi = m.lo + 1 + random.IntN(6)
		}
		if random.IntN(5) == 0 {
			m.priority = random.IntN(5) - 2
		}
		meals[i] = m
	}
	return meals
}

// plate is what is known of a variable: its value, and whether it is in error.
type plate struct {
	value  int
	failed bool
}

// serve is the model: meals one after another. It returns how many fail and are skipped.
func serve(meals []meal) (plates []plate, failed, skipped uint64) {
	plates = make([]plate, len(dietDevices))
	for _, m := range meals {
		to, from := &plates[m.to], plates[m.from]
		switch {
		case !m.replace && (to.failed || from.failed), m.cancelled:
			to.failed = true
			skipped++
		case m.bytes > dietBudget:
			to.failed = true
			failed++
		default:
			*to = plate{value: m.result(to.value, from.value)}
		}
	}
	return plates, failed, skipped
}

func (m meal) result(to, from int) int {
	if m.replace {
		return m.number
	}
	return 3*to + from + m.number
}

// diner is one goroutine that pushes.
type diner struct {
	*subject
	budgets map[device.Device]*budget
	vars    []*engine.Var
	values  []int
	scratch *engine.Var
}

var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// order returns the operations of m.
func (d *diner) order(m meal) (eat, free *engine.Operation) {
	at := dietDevices[m.to]
	b, claimed, token := d.budgets[at], false, d.NewVar()
	name := fmt.Sprint(m.number)
	eat = leaf(name, nil, read(d.vars[m.from]), update(d.vars[m.to]), write(token))
	if m.replace {
		eat.Accesses = []engine.Access{write(d.vars[m.to]), write(token)}
	}
	if m.number%3 == 0 {
		eat.Accesses = append(eat.Accesses, part(write(d.scratch), m.lo, m.hi))
	}
	eat.Function = function(func() error {
		if err := b.claim(name, m.bytes); err != nil {
			return err
		}
		claimed = true
		from := 0
		if !m.replace {
			from = d.values[m.from]
		}
		d.values[m.to] = m.result(d.values[m.to], from)
		return nil
	})
	eat.Device, eat.Priority = at, m.priority
	if m.counted {
		eat.Bytes = int64(m.bytes)
	}
	if m.cancelled {
		eat.Context = ended
	}
	free = leaf("free", func() {
		switch {
		case !claimed:
		case m.garbage:
			b.drop(m.bytes)
		default:
			b.give(m.bytes)
		}
	}, write(token))
	free.Property = engine.DeleteVar
	return eat, free
}

// dine pushes meals in random ways.
func (d *diner) dine(meals []meal, random *rand.Rand) {
	for len(meals) > 0 {
		some := meals[:min(len(meals), 1+random.IntN(12))]
		meals = meals[len(some):]
		pushAll := func(p engine.Pusher) {
			var frees []*engine.Operation
			for _, m := range some {
				eat, free := d.order(m)
				p.Push(eat)
				if frees = append(frees, free); random.IntN(2) == 0 {
					for _, free := range frees {
						p.Push(free)
					}
					frees = nil
				}
			}
			for _, free := range frees {
				p.Push(free)
			}
		}
		way := random.IntN(10)
		if d.Name() == "naive" { // There, what comes later is no help.
			way = 10
		}
		switch way {
		case 0, 1, 2, 3:
			d.Atomically(pushAll)
		case 4, 5, 6, 7:
			d.Bulk(1+random.IntN(30), pushAll)
		case 8:
			d.Atomically(pushAll)
			d.wait(d.vars[random.IntN(len(d.vars))])
		case 9:
			d.Atomically(pushAll)
			d.Push(async("async", func(complete func(error)) { go complete(nil) }, update(d.NewVar())))
		default:
			for _, m := range some {
				eat, free := d.order(m)
				d.Push(eat)
				d.Push(free)
			}
		}
	}
}

// frugalPrograms compares programs that fit, but for what never does, with the model.
func frugalPrograms(t *testing.T, new factory) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		frugalProgram(t, new, seed)
	}
}

func frugalProgram(t *testing.T, new factory, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 9))
	pool := parallel.New(1 + random.IntN(3))
	t.Cleanup(pool.Close)
	limit := []int{4, 64, engine.DefaultLimit}[random.IntN(3)]
	s := start(t, new, engine.WithPool(pool), engine.WithLimit(limit), engine.WithByteLimit(30+random.IntN(1000)))
	budgets := map[device.Device]*budget{}
	for _, at := range dietDevices {
		budgets[at] = newBudget(dietBudget)
	}
	pushers := 1 + random.IntN(3)
	if s.Name() == "naive" {
		pushers = 1 // Others that run beside would have to be waited for.
	}
	var all sync.WaitGroup
	var failed, skipped uint64
	for range pushers {
		d := &diner{subject: s, budgets: budgets, vars: s.variables(len(dietDevices)), values: make([]int, len(dietDevices)), scratch: s.NewVar()}
		meals, own := randomMeals(random), rand.New(rand.NewPCG(random.Uint64(), 10))
		want, fail, skip := serve(meals)
		failed, skipped = failed+fail, skipped+skip
		all.Go(func() { d.dine(meals, own) })
		defer func() {
			for i, v := range d.vars {
				if want[i].failed {
					require.Error(t, v.Err(), "seed %d, variable %d", seed, i)
				} else {
					require.NoError(t, v.Err(), "seed %d, variable %d", seed, i)
					require.Equal(t, want[i].value, d.values[i], "seed %d, variable %d", seed, i)
				}
			}
		}()
	}
	all.Wait()
	s.waitAll()
	stats := s.Stats()
	require.Equal(t, []uint64{failed, skipped}, []uint64{stats.Failed, stats.Skipped}, "seed %d", seed)
	require.Zero(t, stats.Parked)
	require.NoError(t, s.Close(context.Background()))
	for at, b := range budgets {
		require.Equal(t, dietBudget, b.unclaimed(), "seed %d: memory of %v", seed, at)
	}
}
