//go:build linux

package convolution

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/guarded"
)

// moveTo puts the elements of a dense array at the beginning of memory, or at its end.
func (p *placed[T]) moveTo(memory []byte, first bool) {
	all := unsafe.Slice((*T)(unsafe.Pointer(&memory[0])), len(memory)/sizeOf[T]())
	from := p.elements()
	if !first {
		all = all[len(all)-len(from):]
	}
	copy(all, from)
	p.memory, p.first = all[:len(from)], 0
	p.Start = unsafe.Pointer(unsafe.SliceData(all))
}

func checkBeside[T Float](t *testing.T, rounds int) {
	r := rand.New(rand.NewPCG(14, 1))
	var memory [4][]byte
	for i := range memory {
		memory[i] = guarded.Memory(t, 256<<10)
	}
	temporary := guarded.Memory(t, 32<<20)
	for round := range rounds {
		s := Shape{Batch: 1 + r.IntN(2), Groups: 1 + r.IntN(3), Channels: 1, Filters: 1, Axes: [3]Axis{NoAxis, NoAxis, NoAxis}}
		kernel := 3
		if round%2 > 0 {
			s.Channels, s.Filters, kernel = 1+r.IntN(9), 1+r.IntN(20), 1+r.IntN(5)
		}
		winograd := round%20 == 1
		if winograd {
			s = Shape{Batch: 1 + r.IntN(2), Groups: 1, Channels: 16 + r.IntN(4), Filters: 16 + r.IntN(20), Axes: [3]Axis{NoAxis}}
			kernel = 3
		}
		for i := 1; i < 3; i++ {
			before, behind := r.IntN(3), r.IntN(3)
			if winograd {
				s.Axes[i] = axis(8+r.IntN(12*i), kernel, 1, 1, before, behind)
				continue
			}
			s.Axes[i] = axis(max(1+r.IntN(5+25*(i-1)), kernel-before-behind), kernel, 1+r.IntN(1+round%4), 1, before, behind)
		}
		x := newTrial(s, [4]layout{}, uniform[T](r))
		for i, p := range []*placed[T]{x.data, x.weights, x.result, x.bias} {
			p.moveTo(memory[i], r.IntN(3) == 0)
		}
		workers := []int{2, 8}[r.IntN(2)]
		for _, d := range directions[T]() {
			var want []T
			features.Each(func(level features.Level) {
				written := d.written(x)
				before := written.elements()
				written.fill(func() T { return T(math.NaN()) })
				bytes := roundUp(d.scratch(&s, x.operands(), workers), 64)
				d.run(x, pools[workers].Thread(), workers, unsafe.Add(unsafe.Pointer(&temporary[0]), len(temporary)-bytes))
				got := written.elements()
				copy(written.memory, before)
				if want == nil {
					want = got
				}
				require.True(t, sameBits(want, got), "%s on %v: %v", d.name, level, s)
			})
		}
	}
}

// Nothing beside the arrays is read, or the test dies: each lies at the very end, or the very beginning, of what may be.
func TestNothingBesideTheArraysIsTouched(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	checkBeside[float32](t, rounds)
	checkBeside[float64](t, rounds)
}
