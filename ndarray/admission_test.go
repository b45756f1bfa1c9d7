package ndarray_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/storage"
)

// tightProgram is a random program of calls that take memory and of releases, the same for the same seed.
func tightProgram(env *ops.Env, seed uint64, after func(*nd.Array)) (results []*nd.Array) {
	random := rand.New(rand.NewPCG(seed, 0))
	size := func() int { return elements / 4 * (1 + random.IntN(4)) }
	live := []*nd.Array{nd.FullIn(env, dtype.Float32, 1, size())}
	after(live[0])
	for range 30 {
		a := live[random.IntN(len(live))]
		var made *nd.Array
		switch random.IntN(4) {
		case 0:
			made = nd.FullIn(env, dtype.Float32, float64(random.IntN(10)), size())
		case 1:
			made = a.AddScalar(1)
		case 2:
			made = a.Mul(a)
		default: // slow, so that what follows overtakes it
			made = a.Erf()
			for range 4 {
				next := made.Erf()
				after(next)
				made.Release()
				made = next
			}
		}
		after(made)
		live = append(live, made)
		for len(live) > 3 {
			last := random.IntN(len(live))
			live[last].Release()
			live = append(live[:last], live[last+1:]...)
		}
	}
	return live
}

// What fits when each call ends before the next one begins fits as well when all are pushed at once, with managers that take for
// an array what its size demands, whatever they have kept.
func TestProgramsThatFitStepByStepFitAtOnce(t *testing.T) {
	exact := map[device.Kind]func(device.Device) (storage.Manager, error){
		device.KindCPU: storage.NewPooled, device.KindSim: storage.NewRoundMultiple,
	}
	programs := 40
	if testing.Short() {
		programs = 3
	}
	for _, kind := range []string{"pooled", "perdevice", "shuffled"} {
		for _, d := range []device.Device{device.CPU(0), device.Sim(0)} {
			t.Run(fmt.Sprintf("%s/%v", kind, d), func(t *testing.T) {
				before, err := storage.ManagerOf(d)
				require.NoError(t, err)
				defer storage.SetManager(d, before)
				e, err := engine.New(kind, engine.WithPool(parallel.New(2)))
				require.NoError(t, err)
				ctx, stop := context.WithTimeout(context.Background(), time.Minute)
				defer stop()
				env := ops.NewEnv(e).WithDevice(d)
				failed := 0
				for seed := range uint64(programs) {
					m, err := exact[d.Kind](d)
					require.NoError(t, err)
					storage.SetManager(d, m)
					release := func(results []*nd.Array) {
						for _, a := range results {
							a.Release()
						}
						_ = e.WaitAll(ctx) // the errors of what was pushed are in the results
					}
					peak := int64(0)
					release(tightProgram(env, seed, func(*nd.Array) {
						require.NoError(t, e.WaitAll(ctx))
						peak = max(peak, m.Stats().InUse)
					}))
					m.Trim()
					m.SetLimit(peak)
					results := tightProgram(env, seed, func(*nd.Array) {})
					for _, a := range results {
						if err := a.Wait(ctx); err != nil {
							failed++
							t.Log(seed, err)
							break
						}
					}
					release(results)
				}
				require.Zero(t, failed, "of %d programs", programs)
				require.NoError(t, e.Close(ctx))
			})
		}
	}
}
