package gemm

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestWhatIsFetchedAheadChangesNoBits(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	memory, most := make([]float32, 1<<16), 200
	if thin() {
		most = 60
	}
	for range 30 {
		x := newTrial[float32](r, 1+r.IntN(most), 1+r.IntN(most), r.IntN(most), 1, factor[float32](r), anyLayouts(r))
		want := x.run(t, pools[1].Thread())
		x.Ahead = &Ahead{}
		for range r.IntN(4) {
			x.Ahead.Add(unsafe.Pointer(&memory[r.IntN(1<<15)]), r.IntN(1<<16))
		}
		require.True(t, sameBits(want, x.run(t, pools[1].Thread())), "%v", x)
	}
}

func TestRowsOfBThatAreFetchedChangeNoBitsAndLeaveWhatIsAhead(t *testing.T) {
	before := streamBytes
	defer func() { streamBytes = before }()
	testStreaming[float32](t)
	testStreaming[float64](t)
}

func testStreaming[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	memory, most := make([]float32, 1<<16), 150
	if thin() {
		most = 50
	}
	for range 40 {
		x := newTrial[T](r, 1+r.IntN(40), 1+r.IntN(most), r.IntN(5*most), 1, factor[T](r), anyLayouts(r))
		streamBytes = 1 << 40
		want := x.run(t, pools[2].Thread())
		streamBytes = 0
		require.True(t, sameBits(want, x.run(t, pools[2].Thread())), "%v", x)
		x.Ahead = &Ahead{}
		x.Ahead.Add(unsafe.Pointer(&memory[0]), 4*len(memory))
		require.True(t, sameBits(want, x.run(t, pools[1].Thread())), "%v with something ahead", x)
	}
}

func TestAFifthPieceOfMemoryIsNotFetchedAhead(t *testing.T) {
	var ahead Ahead
	memory := make([]byte, 5)
	for i := range memory {
		ahead.Add(unsafe.Pointer(&memory[i]), 1)
	}
	require.EqualValues(t, uintptr(unsafe.Pointer(&memory[3])), ahead.parts[ahead.count-1].from)
}

func TestProductsTakeFromWhatIsAheadInOrderAndLeaveTheRest(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	first, second := make([]byte, 5000), make([]byte, 1<<20)
	ahead := &Ahead{}
	ahead.Add(unsafe.Pointer(&second[0]), len(second))
	ahead.Add(unsafe.Pointer(&first[0]), len(first))
	left := func() (bytes int) {
		for _, part := range ahead.parts[:ahead.count] {
			bytes += int(part.to - part.from)
		}
		return bytes
	}
	x := newTrial[float32](r, 14, 96, 100, 1, 0, [3]layout{})
	x.Ahead = ahead
	if best[float32]().kernels == nil {
		before := left()
		x.run(t, pools[1].Thread())
		require.Equal(t, before, left(), "without assembly nothing is fetched")
		return
	}
	for products, before := 0, left(); ahead.count > 1; products, before = products+1, left() {
		require.Less(t, products, 10)
		require.EqualValues(t, uintptr(unsafe.Pointer(&second[0])), ahead.parts[0].from)
		x.run(t, pools[1].Thread())
		require.Less(t, left(), before)
	}
	require.Positive(t, left())
}
