package random_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
	"github.com/weft-nd/weft/random/numpy"
	"github.com/weft-nd/weft/resource"
)

// windows calls body with a hash of every four neighbours in x.
func windows(x []float32, body func(hash uint64)) {
	for i := range x[:len(x)-3] {
		hash := uint64(0)
		for _, v := range x[i : i+4] {
			hash = bits.RotateLeft64(hash^uint64(math.Float32bits(v)), 29) * 0x9e3779b97f4a7c15
		}
		body(hash)
	}
}

// runsOf are all runs of four numbers of an array.
type runsOf map[uint64]struct{}

func newRuns(x []float32) runsOf {
	runs := make(runsOf, len(x))
	windows(x, func(hash uint64) { runs[hash] = struct{}{} })
	return runs
}

// share returns the part of the runs of four numbers of y that are in x too, wherever they are.
func (r runsOf) share(y []float32) float64 {
	found := 0
	windows(y, func(hash uint64) {
		if _, is := r[hash]; is {
			found++
		}
	})
	return float64(found) / float64(len(y)-3)
}

// uniformOf draws n uniform numbers with ticket.
func uniformOf(t *testing.T, ticket resource.Ticket, n int) []float32 {
	env := nd.DefaultEnv().WithGenerator(ticket.Generator())
	return values[float32](t, random.Uniform(env, dtype.Float32, 0, 1, n))
}

// TestNeighbouringStreamsShareNoRun compares seeds, keys and tickets that differ as little as they can, at all shifts.
func TestNeighbouringStreamsShareNoRun(t *testing.T) {
	for _, n := range []int{40_000, 1_000_000} {
		parent := resource.NewGenerator(1234)
		ticket := parent.Next()
		others := []resource.Ticket{resource.NewGenerator(1235).Next(), parent.Next(), parent.Split().Next(), parent.Split().Next()}
		for bit := 0; bit < 64; bit += 3 {
			others = append(others, resource.Ticket{Key: ticket.Key ^ 1<<bit}, resource.Ticket{Key: ticket.Key, Sequence: 1 << bit})
		}
		if n > 100_000 {
			others = []resource.Ticket{others[0], others[4]} // the next seed, and a key that differs in a bit
		} else if testing.Short() {
			others = others[:12]
		}
		runs := newRuns(uniformOf(t, ticket, n))
		require.EqualValues(t, 1, runs.share(uniformOf(t, resource.NewGenerator(1234).Next(), n)))
		for _, other := range others {
			require.Zero(t, runs.share(uniformOf(t, other, n)), "%d numbers of %+v", n, other)
		}
	}
}

// TestRunsThatAreSharedAreFound looks at the generators of MXNet: state k of seed s is MT19937 seeded with 127·s + k, and
// the numbers are cut into as many parts as there are states, of at least 64 numbers.
func TestRunsThatAreSharedAreFound(t *testing.T) {
	uniform := func(seed, n int) (x []float32) {
		part := max(64, (n+1023)/1024)
		for k := 0; len(x) < n; k++ {
			state := numpy.NewLegacyMT19937(uint32(127*seed + k))
			for range min(part, n-len(x)) {
				x = append(x, float32(state.Uint32())/(1<<32))
			}
		}
		return x
	}
	require.InDelta(t, 0.797, newRuns(uniform(1234, 40_000)).share(uniform(1235, 40_000)), 0.001)
}
