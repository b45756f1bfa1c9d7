package ops

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/storage"
)

// wayToFailure is what an error tells of the operators between the one that failed and the one that was not run. Whether an
// array was copied to a device again on that way depends on what had failed by then.
var wayToFailure = regexp.MustCompile(` [0-9]+ operators before \(last: [a-z]+\)`)

// program runs random calls on a few arrays that move between cpu(0), sim(0) and sim(1): results into other arrays and into
// parts of them, in place, whole overwrites, and indices out of range. It returns what each array holds at the end, or the
// error that sticks to it.
func program(t *testing.T, env *Env, seed uint64) []string {
	const side = 4
	r := rand.New(rand.NewPCG(seed, 11))
	places := []*Env{env, simOf(env), env.WithDevice(device.Sim(1))}
	arrays := make([]*Tensor, 5)
	for i := range arrays {
		arrays[i] = made(dtype.Float64, []int{side, side}, func(index []int) float64 { return float64(i + index[0] - index[1]) }).tensor(env)
	}
	part := func(x *Tensor, rows, columns int) *Tensor {
		span := func(count int) storage.Span {
			s := storage.Span{Start: r.IntN(side - count + 1), Count: count, Step: 1}
			if r.IntN(3) == 0 {
				s.Start, s.Step = s.Start+count-1, -1
			}
			return s
		}
		return Invoke(Slice, SliceParams{[]storage.Span{span(rows), span(columns)}}, x)[0]
	}
	for range 60 {
		place := places[r.IntN(len(places))]
		pick := func() *Tensor { return arrays[r.IntN(len(arrays))].In(place) }
		rows, columns := 1+r.IntN(side), 1+r.IntN(side)
		switch r.IntN(7) {
		case 0:
			InvokeInto(Add, nil, []*Tensor{part(pick(), rows, columns)}, part(pick(), rows, columns), part(pick(), rows, columns))
		case 1:
			InvokeInto(Neg, nil, []*Tensor{pick()}, pick())
		case 2:
			InvokeInto(Transpose, TransposeParams{}, []*Tensor{pick()}, pick())
		case 3:
			arrays[r.IntN(len(arrays))] = Invoke(Maximum, nil, pick(), Scalar(env, 0.5, dtype.Float64))[0]
		case 4:
			InvokeInto(Mul, nil, []*Tensor{part(pick(), rows, columns)}, part(pick(), rows, columns), Scalar(env, 0.5, dtype.Float64))
		case 5:
			indices := made(dtype.Int64, []int{side}, func([]int) float64 { return float64(r.IntN(max(side, r.IntN(side+2)))) }).tensor(place)
			InvokeInto(Take, TakeParams{0, "raise"}, []*Tensor{pick()}, pick(), indices)
		case 6:
			InvokeInto(Fill, FillParams{Shape: []int{rows, columns}, DType: dtype.Float64, Value: r.Float64()}, []*Tensor{part(pick(), rows, columns)})
		}
	}
	ends := []string{}
	for _, x := range arrays {
		if err := x.Wait(context.Background()); err != nil {
			ends = append(ends, wayToFailure.ReplaceAllString(err.Error(), ""))
			continue
		}
		ends = append(ends, fmt.Sprint(valuesOf(t, x.In(env))))
	}
	return ends
}

// TestProgramsOnManyDevicesEqualThoseInOrder compares the default engine with the one that runs every call at once.
func TestProgramsOnManyDevicesEqualThoseInOrder(t *testing.T) {
	naive := newEnv(t, "naive")
	perDevice := []*Env{newEnv(t, "perdevice"), newEnv(t, "perdevice", poolOf(t, 8))}
	failed := 0
	seeds := uint64(150)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		want := program(t, naive, seed)
		for _, env := range perDevice {
			require.Equal(t, want, program(t, env, seed), "seed %d", seed)
		}
		for _, end := range want {
			if end[0] == 'w' {
				failed++
			}
		}
	}
	require.NotZero(t, failed, "no program failed")
}
