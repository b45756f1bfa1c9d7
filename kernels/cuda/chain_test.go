//go:build linux && (amd64 || arm64)

package cuda

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

func TestArgumentsOfChainsHaveTheLayoutOfTheKernels(t *testing.T) {
	var a chainArguments
	require.EqualValues(t, 3824, unsafe.Sizeof(a), "as the PTX says")
	require.EqualValues(t, 1776, unsafe.Offsetof(a.program))
}

// arena is memory of a device with elements of every type, bits at random.
type arena struct {
	testing *testing.T
	backend *Backend
	stream  *stream
	start   device.Pointer
	bytes   []byte // at the beginning
}

// elementsOf is how many elements of each type an arena has.
const elementsOf = 6000

var arenaTypes = []dtype.DType{
	dtype.Float64, dtype.Int64, dtype.Uint64, dtype.Float32, dtype.Int32, dtype.Uint32, dtype.Float16, dtype.BFloat16, dtype.Int16, dtype.Uint16,
	dtype.Bool, dtype.Int8, dtype.Uint8,
}

func newArena(t *testing.T, b *Backend, r *rand.Rand) *arena {
	a := &arena{testing: t, backend: b}
	for _, d := range arenaTypes {
		for range elementsOf * d.Size() {
			value := byte(r.Uint32())
			if d == dtype.Bool {
				value &= 1
			}
			a.bytes = append(a.bytes, value)
		}
	}
	s, err := b.NewStream(0)
	require.NoError(t, err)
	a.stream = s.(*stream)
	a.start, err = b.Allocate(0, len(a.bytes))
	require.NoError(t, err)
	return a
}

// view returns elements of type d from a place on.
func (a *arena) view(d dtype.DType, from int, shape, strides []int) device.View {
	p := a.start.Add(from * d.Size())
	for _, before := range arenaTypes[:slices.Index(arenaTypes, d)] {
		p = p.Add(elementsOf * before.Size())
	}
	return device.View{Pointer: p, DType: d, Shape: shape, Strides: strides}
}

// launched is a call of a kernel.
type launched struct {
	name string
	device.Arguments
}

// after returns all elements when the calls have run: one by one, or as work that is kept.
func (a *arena) after(kept bool, calls ...launched) []byte {
	host := slices.Clone(a.bytes)
	require.NoError(a.testing, a.stream.Copy(a.start, device.Pointer{Host: unsafe.Pointer(&host[0])}, len(host)))
	if kept {
		require.NoError(a.testing, a.stream.Capture())
	}
	for _, c := range calls {
		k, found := a.backend.Kernel(c.name)
		require.True(a.testing, found, c.name)
		require.NoError(a.testing, k.Launch(a.stream, &c.Arguments), c.name)
	}
	if kept {
		w, err := a.stream.Captured()
		require.NoError(a.testing, err)
		require.NoError(a.testing, w.Enqueue(a.stream))
	}
	require.NoError(a.testing, a.stream.Copy(device.Pointer{Host: unsafe.Pointer(&host[0])}, a.start, len(host)))
	e, err := a.stream.Record()
	require.NoError(a.testing, err)
	require.NoError(a.testing, e.Wait())
	return host
}

// chained are operators that may be in chains, by the number of operands, and the element types that they are tried on.
var chained = []struct {
	operands int
	types    []dtype.DType
	names    string
}{
	{1, chainFloats, "reciprocal floor ceil trunc round sqrt"},
	{2, chainFloats, "div relu_gradient copysign"},
	{1, chainIntegers, "floor ceil trunc round bitwise_invert"},
	{2, chainIntegers, "bitwise_and bitwise_or bitwise_xor"},
	{1, chainNumbers, "neg square abs sign positive relu"},
	{2, chainNumbers, "add sub mul maximum minimum"},
	{3, chainNumbers, "clamp"},
	{1, []dtype.DType{dtype.Bool}, "square abs bitwise_invert logical_not"},
	{2, []dtype.DType{dtype.Bool}, "add mul maximum minimum bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor"},
	{1, append(chainNumbers, dtype.Bool), "copy"},
	{1, chainFloats[:3], "exp exp2 expm1 sinh cosh tanh sigmoid silu log log2 log10 log1p softplus asinh acosh atanh sin cos tan asin acos atan rsqrt cbrt erf gelu"},
	{2, chainFloats[:3], "hypot atan2 logaddexp pow gelu_gradient"},
	{2, chainFloats[:1], "nextafter"},
}

// telling are those with bools as results.
var telling = []struct {
	operands int
	types    []dtype.DType
	names    string
}{
	{1, chainFloats, "signbit"},
	{1, append(chainNumbers, dtype.Bool), "isnan isinf isfinite"},
	{2, append(chainNumbers, dtype.Bool), "greater greater_equal less less_equal equal not_equal"},
}

var (
	chainFloats   = []dtype.DType{dtype.Float32, dtype.Float16, dtype.BFloat16, dtype.Float64}
	chainIntegers = []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32}
	chainNumbers  = slices.Concat(chainFloats, chainIntegers)
)

// signature is a kernel, and the element types of its operands and result.
type signature struct {
	name  string
	types []dtype.DType
}

// signatures are all kernels that may be in chains.
func signatures() (all []signature) {
	for _, group := range chained {
		for _, name := range strings.Fields(group.names) {
			for _, d := range group.types {
				all = append(all, signature{device.KernelName(name, d), slices.Repeat([]dtype.DType{d}, group.operands+1)})
			}
		}
	}
	for _, group := range telling {
		for _, name := range strings.Fields(group.names) {
			for _, d := range group.types {
				all = append(all, signature{device.KernelName(name, d), append(slices.Repeat([]dtype.DType{d}, group.operands), dtype.Bool)})
			}
		}
	}
	types := append(slices.Clone(chainNumbers), dtype.Bool)
	for _, d := range types {
		all = append(all, signature{device.KernelName("where", d), []dtype.DType{dtype.Bool, d, d, d}})
		for _, to := range types {
			if chainTypes[d] == chainTypes[to] || d == dtype.Bool || to == dtype.Bool {
				all = append(all, signature{device.KernelName("cast", d, to), []dtype.DType{d, to}})
			}
		}
	}
	return all
}

// TestEveryOperatorOfAChainEqualsItsKernel is of all bits, numbers that are none among them.
func TestEveryOperatorOfAChainEqualsItsKernel(t *testing.T) {
	b, _ := start(t, nil)
	checkOperatorsOfChains(t, b)
}

func TestRealOperatorsOfChainsEqualTheirKernels(t *testing.T) {
	checkOperatorsOfChains(t, realBackend(t))
}

func checkOperatorsOfChains(t *testing.T, b *Backend) {
	a := newArena(t, b, rand.New(rand.NewPCG(1, 2)))
	launches := func() int {
		stats, err := b.Stats(0)
		require.NoError(t, err)
		return stats.Launches
	}
	const n = 1300 // more than a block has at a time
	for _, of := range signatures() {
		calls, last := []launched{{name: of.name}}, len(of.types)-1
		for i, d := range of.types[:last] {
			calls[0].Inputs = append(calls[0].Inputs, a.view(d, i*n/2, []int{n}, []int{1}))
		}
		z := a.view(of.types[last], elementsOf-2*n, []int{n}, []int{1})
		calls[0].Outputs = []device.View{z}
		calls = append(calls, launched{"copy/" + z.DType.String(), device.Arguments{
			Inputs: []device.View{z}, Outputs: []device.View{a.view(z.DType, elementsOf-n, []int{n}, []int{1})},
		}})
		want, before := a.after(false, calls...), launches()
		require.True(t, slices.Equal(want, a.after(true, calls...)), of.name)
		require.Equal(t, before+1, launches(), of.name)
	}
	require.NoError(t, a.stream.Close())
}

// layoutsOf are ways to see elements of one shape: from where on, and with which strides.
var layoutsOf = []struct {
	from    int
	strides []int
}{
	{0, []int{12, 1}}, {60, []int{12, 1}}, {120, []int{12, 1}}, {180, []int{12, 1}}, // apart
	{0, []int{1, 5}}, {60, []int{1, 5}}, // transposed
	{119, []int{-12, -1}}, {71, []int{12, -1}}, // backwards
	{30, []int{12, 1}}, {1, []int{12, 1}}, {0, []int{24, 2}}, {1, []int{24, 2}}, // across others
	{3, []int{0, 1}}, {7, []int{12, 0}}, {200, []int{0, 0}}, // repeated: these are only read
}

const repeatedLayouts = 3

// randomCalls returns calls that a kernel may be asked for: no result is read by the same call elsewhere.
func randomCalls(a *arena, r *rand.Rand, count int) (calls []launched) {
	all, shape := signatures(), []int{5, 12}
	liked := slices.DeleteFunc(slices.Clone(all), func(of signature) bool { // of one type, or from and to it
		return slices.ContainsFunc(of.types, func(d dtype.DType) bool { return d != dtype.Bool && chainTypes[d] != dtype.Float32 })
	})
	if r.IntN(3) == 0 {
		liked = slices.DeleteFunc(slices.Clone(all), func(of signature) bool {
			return slices.ContainsFunc(of.types, func(d dtype.DType) bool { return d != dtype.Bool && d != dtype.Int32 && d != dtype.Int8 })
		})
	}
	for len(calls) < count {
		of := signature{"add/uint64", slices.Repeat([]dtype.DType{dtype.Uint64}, 3)} // is in no chain
		switch r.IntN(12) {
		case 0:
		case 1, 2:
			of = all[r.IntN(len(all))]
		default:
			of = liked[r.IntN(len(liked))]
		}
		if r.IntN(30) == 0 {
			shape = [][]int{{5, 12}, {4, 12}, {5, 1, 12}, {2, 2, 2, 2, 2}}[r.IntN(4)]
		}
		c := launched{name: of.name}
		for i, d := range of.types {
			choice := len(layoutsOf)
			if i == len(of.types)-1 {
				choice -= repeatedLayouts
			}
			if r.IntN(2) == 0 {
				choice = 3 // values meet again
			}
			layout := layoutsOf[r.IntN(choice)]
			strides := layout.strides
			switch len(shape) {
			case 3:
				strides = []int{strides[0], 7, strides[1]}
			case 5:
				strides = []int{16, 8, 4, 2, 1}
				if layout.from == 1 {
					strides = []int{1, 3, 6, 12, 24} // as many axes as it seems
				}
			}
			v := a.view(d, layout.from, shape, strides)
			if i == len(of.types)-1 {
				c.Outputs = []device.View{v}
			} else {
				c.Inputs = append(c.Inputs, v)
			}
		}
		alone := &chain{shape: withoutOnes(shape)}
		alone.joined = make([]bool, len(alone.shape)-1)
		z := alone.member(c.Outputs[0])
		for _, v := range c.Inputs {
			alone.member(v)
		}
		if !alone.meets(z, func(*member) bool { return true }) && z.isInjective(alone.shape) {
			calls = append(calls, c)
		}
	}
	return calls
}

func TestChainsOfRandomCallsEqualTheCalls(t *testing.T) {
	b, fake := start(t, nil)
	checkRandomCalls(t, b)
	require.Greater(t, fake.Get("chains"), 10)
}

func TestRealChainsOfRandomCallsEqualTheCalls(t *testing.T) { checkRandomCalls(t, realBackend(t)) }

func checkRandomCalls(t *testing.T, b *Backend) {
	programs := 60
	if testing.Short() {
		programs = 10
	}
	for seed := range programs {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		a := newArena(t, b, r)
		program := randomCalls(a, r, 40)
		want := a.after(false, program...)
		if got := a.after(true, program...); !slices.Equal(want, got) {
			for i := range program { // the first that differs
				require.Equal(t, a.after(false, program[:i+1]...), a.after(true, program[:i+1]...), "program %d: %s", seed, describe(program[:i+1]))
			}
		}
		b.Free(0, a.start, len(a.bytes))
		require.NoError(t, a.stream.Close())
	}
}

func describe(calls []launched) string {
	text := ""
	for _, c := range calls {
		text += fmt.Sprintf("\n%s %v <- %v", c.name, c.Outputs, c.Inputs)
	}
	return text
}

// adds returns calls that add b to a again and again.
func adds(a *arena, count int) (calls []launched) {
	z, one := a.view(dtype.Float32, 0, []int{4, 15}, []int{15, 1}), a.view(dtype.Float32, 60, []int{4, 15}, []int{1, 4})
	for range count {
		calls = append(calls, launched{"add/float32", device.Arguments{Outputs: []device.View{z}, Inputs: []device.View{z, one}}})
	}
	return calls
}

func TestALongChainIsSplit(t *testing.T) {
	b, fake := start(t, nil)
	a := newArena(t, b, rand.New(rand.NewPCG(5, 6)))
	for _, count := range []int{1, 2, chainSteps, chainSteps + 1, 1000} {
		want := a.after(false, adds(a, count)...)
		launches := fake.Get("launches")
		require.Equal(t, want, a.after(true, adds(a, count)...))
		require.Equal(t, (count+chainSteps-1)/chainSteps, fake.Get("launches")-launches)
		require.Zero(t, fake.Get("chainShared"), "what goes from step to step is in no slot")
	}
	require.NoError(t, a.stream.Close())
}

// TestWhatIsReadLaterIsKept has more numbers that are read later than there are slots, and what is seen or not at the end.
func TestWhatIsReadLaterIsKept(t *testing.T) {
	b, fake := start(t, nil)
	a := newArena(t, b, rand.New(rand.NewPCG(7, 8)))
	at := func(i int) device.View { return a.view(dtype.Float32, 4*i, []int{4}, []int{1}) }
	var calls []launched
	for i := range 20 {
		calls = append(calls, launched{"square/float32", device.Arguments{Outputs: []device.View{at(i + 1)}, Inputs: []device.View{at(i)}}})
	}
	for i := range 20 {
		calls = append(calls, launched{"add/float32", device.Arguments{Outputs: []device.View{at(30)}, Inputs: []device.View{at(20 - i), at(30)}}})
	}
	want := a.after(false, calls...)
	chains := fake.Get("chains")
	require.Equal(t, want, a.after(true, calls...))
	require.Equal(t, chains+1, fake.Get("chains"))
	require.Equal(t, chainSlots*4*4*eachThreads, fake.Get("chainShared"), "all slots, of four numbers of four bytes for each thread")
	short := append(slices.Clone(calls[:3]), calls[37:]...) // reads two of the squares from slots
	want = a.after(false, short...)
	require.Equal(t, want, a.after(true, short...))
	require.Equal(t, 2*4*4*eachThreads, fake.Get("chainShared"))
	want = a.after(false, calls...)
	for i := range calls[:20] {
		calls[39-i].Unseen = 1 // nobody reads the squares behind the sum
	}
	got := a.after(true, calls...)
	from := elementsOf*(8+8+8) + 4*4*30
	require.Equal(t, want[from:from+16], got[from:from+16])
	from -= 4 * 4 * 12
	require.Equal(t, a.bytes[from:from+16], got[from:from+16], "a square that was in a slot alone")
	require.NoError(t, a.stream.Close())
}

func TestAChainThatCannotBeLaunchedIsAnErrorOfTheCapture(t *testing.T) {
	b, fake := start(t, nil)
	a := newArena(t, b, rand.New(rand.NewPCG(9, 1)))
	want := a.after(true, adds(a, 9)...)
	require.NoError(t, a.stream.Capture())
	for _, c := range adds(a, 9) {
		k, _ := b.Kernel(c.name)
		require.NoError(t, k.Launch(a.stream, &c.Arguments))
	}
	fake.Set("launchFails", 1)
	_, err := a.stream.Captured()
	require.ErrorContains(t, err, "chain of 9: cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")
	require.Equal(t, want, a.after(true, adds(a, 9)...), "nothing is left")
	require.NoError(t, a.stream.Close())
}

func TestWorkIsKeptWithoutChainsWhereTheirKernelsDoNotLoad(t *testing.T) {
	b, fake := start(t, nil)
	a := newArena(t, b, rand.New(rand.NewPCG(2, 4)))
	a.stream.unit.modules.all = map[string]*module{"chain": {loaded: true}}
	want, launches := a.after(false, adds(a, 3)...), fake.Get("launches")
	require.Equal(t, want, a.after(true, adds(a, 3)...))
	require.Equal(t, launches+3, fake.Get("launches"))
	require.Zero(t, fake.Get("chains"))
	require.NoError(t, a.stream.Close())
}
