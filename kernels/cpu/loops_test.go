package cpu

import (
	"bytes"
	encoding "encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// awkward returns count elements of type d, many of which are extreme; NaN has the bits that the processor makes.
func awkward(r *rand.Rand, d dtype.DType, count int) []byte {
	floats := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -7, math.Inf(1), math.Inf(-1), math.NaN(), 1e-30, -1e30, 65504, 65520,
		1 << 31, -1 << 31, 1<<31 - 1, 1 << 63, -1 << 63, 2147483520, 6e-8, 1e-45, 5e-324, 8388609, 4503599627370497, 0.49999997, 1.00048828125, math.MaxFloat64,
	}
	memory := []byte{}
	if d.IsComplex() {
		d, count = d.RealPart(), 2*count
	}
	for range count {
		word := r.Uint64() >> r.IntN(64)
		if r.IntN(3) == 0 {
			word = -word
		}
		v := math.Ldexp(r.NormFloat64(), r.IntN(40)-20)
		if r.IntN(2) == 0 {
			v = floats[r.IntN(len(floats))]
		}
		switch d {
		case dtype.Bool:
			memory = append(memory, byte(word&1))
		case dtype.Float64:
			memory = encoding.NativeEndian.AppendUint64(memory, math.Float64bits(v))
		case dtype.Float32:
			memory = encoding.NativeEndian.AppendUint32(memory, math.Float32bits(float32(v)))
		case dtype.Float16:
			memory = encoding.NativeEndian.AppendUint16(memory, uint16(dtype.ToF16(float32(v))))
		case dtype.BFloat16:
			memory = encoding.NativeEndian.AppendUint16(memory, uint16(dtype.ToBF16(float32(v))))
		default:
			if r.IntN(4) == 0 {
				word = 1 << (8*d.Size() - 1) // the least number
			}
			memory = append(memory, encoding.NativeEndian.AppendUint64(nil, word)[:d.Size()]...)
		}
	}
	return memory
}

// operandTypes returns the element types of the result and the operands of the kernel of the given name.
func operandTypes(t *testing.T, name string, i *inner) []dtype.DType {
	parts := strings.Split(name, "/")
	d, err := dtype.Parse(parts[1])
	require.NoError(t, err)
	types := []dtype.DType{d}
	switch {
	case parts[0] == "cast":
		to, err := dtype.Parse(parts[2])
		require.NoError(t, err)
		types[0] = to
	case parts[0] == "odd":
		types[0] = dtype.Float32
	case parts[0] == "complex":
		types[0] = dtype.Promote(d, dtype.Complex64)
	case i.ofPairs && i.sizes[0] == d.RealPart().Size():
		types[0] = d.RealPart()
	case parts[0] == "where":
		types = append(types, dtype.Bool)
	case i.sizes[0] == 1:
		types[0] = dtype.Bool
	}
	for len(types) < len(i.sizes) {
		types = append(types, d)
	}
	return types
}

// quiet makes all NaN of a result equal: which of two operands they take after is up to the instruction.
func quiet(d dtype.DType, memory []byte) []byte {
	memory, d = slices.Clone(memory), d.RealPart()
	for at := 0; at < len(memory); at += d.Size() {
		element := memory[at : at+d.Size()]
		isNaN := false
		switch d {
		case dtype.Float64:
			v := math.Float64frombits(encoding.NativeEndian.Uint64(element))
			isNaN = v != v
		case dtype.Float32:
			v := math.Float32frombits(encoding.NativeEndian.Uint32(element))
			isNaN = v != v
		case dtype.Float16:
			isNaN = encoding.NativeEndian.Uint16(element)&0x7fff > 0x7c00
		case dtype.BFloat16:
			isNaN = encoding.NativeEndian.Uint16(element)&0x7fff > 0x7f80
		}
		if isNaN {
			clear(element)
			element[0] = 0xAA
		}
	}
	return memory
}

// makeBounds replaces NaN and zeros, which are no bounds for clamp_between.
func makeBounds(elements []byte, d dtype.DType) {
	if d == dtype.Float32 {
		replaceNonBounds(unsafe.Slice((*float32)(unsafe.Pointer(&elements[0])), len(elements)/4))
	} else {
		replaceNonBounds(unsafe.Slice((*float64)(unsafe.Pointer(&elements[0])), len(elements)/8))
	}
}

func replaceNonBounds[T dtype.Float](bounds []T) {
	for i, v := range bounds {
		if v != v || v == 0 {
			bounds[i] = T(i) - 7.5
		}
	}
}

// TestLoopsHaveEqualBitsAtAllLevels runs every inner loop with assembly on all sizes, with unaligned operands, with operands that
// are one element for all, in place, and past the caches.
func TestLoopsHaveEqualBitsAtAllLevels(t *testing.T) {
	const most, margin = 300, 128
	for name, i := range inners {
		variants, found := assemblyLoops[name]
		if !found && i.parts == nil {
			continue
		}
		require.True(t, variants[1] != nil || i.parts != nil, name)
		types := operandTypes(t, name, i)
		r := randomAt(len(name))
		operands := [][]byte{nil}
		for k, d := range types[1:] {
			operands = append(operands, awkward(r, d, most+8))
			if k > 0 && strings.HasPrefix(name, "clamp_between/") {
				makeBounds(operands[k+1], d)
			}
		}
		for count := range most + 1 {
			if testing.Short() && count%7 > 1 {
				continue
			}
			shift := r.IntN(8)
			repeated := r.IntN(1 << (len(types) - 1))
			streams := count % 2 * formStreams
			inPlace := types[0].Size() == types[len(types)-1].Size() && count%3 == 0
			var want []byte
			features.Each(func(level features.Level) {
				memory := bytes.Repeat([]byte{0xCD}, 2*margin+(most+8)*types[0].Size())
				result := memory[margin+shift*types[0].Size():][:count*types[0].Size()]
				p, form := pointers{unsafe.Pointer(unsafe.SliceData(result))}, 0
				run := i.runner()
				for k := 1; k < len(types); k++ {
					source := operands[k][shift*types[k].Size():]
					if repeated>>(k-1)&1 == 1 {
						if run.vector != nil && count >= run.least {
							form |= 1 << (k - 1)
						} else {
							source = bytes.Repeat(source[:types[k].Size()], most)
						}
					}
					if p[k] = unsafe.Pointer(unsafe.SliceData(source)); inPlace && k == len(types)-1 && repeated>>(k-1)&1 == 0 {
						copy(result, source)
						p[k] = p[0]
					}
				}
				if !inPlace {
					form |= streams
				}
				if run.vector == nil || run.aligned < 32 {
					form &^= formStreams
				}
				run.run(count, p, form)
				got := quiet(types[0], result)
				if level == features.Portable {
					want = got
				}
				if !bytes.Equal(want, got) {
					require.Equal(t, want, got, "%s, %v, %d elements, form %d, in place %v", name, level, count, form, inPlace)
				}
				for _, b := range [][]byte{memory[:margin+shift*types[0].Size()], memory[margin+(shift+count)*types[0].Size():]} {
					require.Equal(t, len(b), bytes.Count(b, []byte{0xCD}), "%s, %v, %d elements: written outside", name, level, count)
				}
			})
		}
	}
}

// TestRowsAreAsOneAfterTheOther runs the inner loops with assembly on rows that lie apart, are the same for all, or have one element that is
// the same for all of a row, and on more rows than assembly takes in one go.
func TestRowsAreAsOneAfterTheOther(t *testing.T) {
	check := func(name string, i *inner, rows, count int) {
		types, r := operandTypes(t, name, i), randomAt(len(name)+rows)
		features.Each(func(level features.Level) {
			run, form, p, steps := i.runner(), 0, pointers{}, [maxOperands]int{}
			for k := 1; k < len(types); k++ {
				operand, size := awkward(r, types[k], rows*(count+3)), types[k].Size()
				p[k], steps[k] = unsafe.Pointer(unsafe.SliceData(operand)), r.IntN(2)*size*(count+3)
				if run.vector != nil && r.IntN(3) == 0 {
					form, steps[k] = form|1<<(k-1), size
				}
			}
			step := types[0].Size() * (count + 5)
			want, got := make([]byte, rows*step), make([]byte, rows*step)
			for row := range rows {
				one := pointers{unsafe.Pointer(&want[row*step])}
				for k := 1; k < len(types); k++ {
					one[k] = unsafe.Add(p[k], row*steps[k])
				}
				run.run(count, one, form)
			}
			p[0], steps[0] = unsafe.Pointer(unsafe.SliceData(got)), step
			run.runRows(rows, count, p, steps, form)
			require.True(t, bytes.Equal(want, got), "%s at level %v: %d rows of %d, form %d, steps %v", name, level, rows, count, form, steps)
		})
	}
	for name, i := range inners {
		if _, found := assemblyLoops[name]; found || i.parts != nil {
			check(name, i, 5, 70)
			check(name, i, 3, 64)
		}
	}
	check("add/float32", inners["add/float32"], 4000, 40)
}

func TestAllAssemblyBelongsToLoops(t *testing.T) {
	for name := range assemblyLoops {
		require.NotNil(t, inners[strings.Replace(name, "_by_one/", "/", 1)], name)
	}
}

// TestLinesRepeatElementsWithAndWithoutAssembly compares loops whose operands are one element for all with those of as many equal ones.
func TestLinesRepeatElementsWithAndWithoutAssembly(t *testing.T) {
	r := random()
	for name, i := range inners {
		operands := len(i.sizes) - 1
		if operands < 2 || strings.HasPrefix(name, "odd/") {
			continue
		}
		types := operandTypes(t, name, i)
		features.Each(func(level features.Level) {
			for _, count := range []int{1, 2, 7, 15, 33, 127, 300, 513, 1100} {
				for form := 1; form < 1<<operands; form++ {
					var some, many pointers
					for k := 1; k <= operands; k++ {
						size := i.sizes[k]
						all := awkward(r, types[k], count)
						some[k], many[k] = unsafe.Pointer(&all[0]), unsafe.Pointer(&all[0])
						if form>>(k-1)&1 != 0 {
							one := slices.Repeat(all[:size], count)
							many[k] = unsafe.Pointer(&one[0])
						}
					}
					want, got := make([]byte, count*i.sizes[0]), make([]byte, count*i.sizes[0])
					many[0] = unsafe.Pointer(&want[0])
					i.runner().run(count, many, 0)
					Line{i}.Run(count, unsafe.Pointer(&got[0]), some[1], some[2], some[3], form)
					require.True(t, bytes.Equal(quiet(types[0], want), quiet(types[0], got)), "%s of %d at %v, form %d", name, count, level, form)
				}
			}
		})
	}
}
