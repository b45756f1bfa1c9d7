package fourier

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// layouts are ways in which lines lie in memory: the elements from one line to the next, and from one number to the next, for so many lines of so
// many numbers with parts elements each.
var layouts = map[string]func(lines, count, parts int) (next, step int){
	"lines follow one another":        func(_, count, parts int) (next, step int) { return count * parts, parts },
	"lines are apart":                 func(_, count, parts int) (next, step int) { return count*parts + 3, parts },
	"numbers of lines lie beside one": func(lines, _, parts int) (next, step int) { return parts, lines * parts },
	"columns are apart":               func(lines, _, parts int) (next, step int) { return parts, lines*parts + 2*parts },
	"numbers are apart":               func(_, count, parts int) (next, step int) { return 2 * count * parts, 2 * parts },
}

// laid is memory with lines of numbers of parts elements each.
type laid[T dtype.Float] struct {
	memory            []T
	next, step, parts int
}

func lay[T dtype.Float](layout string, lines, count, parts int) laid[T] {
	next, step := layouts[layout](lines, count, parts)
	return laid[T]{make([]T, lines*next+count*step+parts), next, step, parts}
}

func (l laid[T]) lines() Lines {
	size := int(unsafe.Sizeof(T(0)))
	return Lines{Start: unsafe.Pointer(&l.memory[0]), Next: l.next * size, Step: l.step * size, Part: size, Real: l.parts == 1}
}

// line returns the elements of a line.
func (l laid[T]) line(line, count int) (elements []T) {
	for number := range count {
		elements = append(elements, l.memory[line*l.next+number*l.step:][:l.parts]...)
	}
	return elements
}

// parts are those of a number before and after the transform.
func (f Form) parts() (before, after int) {
	switch f {
	case FromReal:
		return 1, 2
	case ToReal:
		return 2, 1
	}
	return 2, 2
}

func TestLinesTogetherHaveTheBitsOfEachByGoAlone(t *testing.T) {
	t.Run("float32", testTogether[float32])
	t.Run("float64", testTogether[float64])
}

func testTogether[T dtype.Float](t *testing.T) {
	for i, n := range []int{1, 2, 3, 4, 6, 9, 16, 32, 37, 64, 74, 96, 100, 120, 128, 192, 1000, 1 << 15} {
		for form := Complex; form <= ToReal; form++ {
			for trial, lines := range []int{1, 2, 3, 5, 8, 9, 19} {
				if n >= longLine && lines > 1 {
					continue
				}
				factor, inverse := []T{1, 0.375}[(trial+i)%2], (trial+i)%3 == 1
				f := New[T](form, n, inverse, factor)
				for _, given := range []int{f.whole(), f.whole() - f.whole()/3} {
					for from := range layouts {
						for to := range layouts {
							testLaid(t, f, lines, given, from, to)
						}
					}
				}
			}
		}
	}
}

// untouched is what elements between lines have before and after.
const untouched = -77

// testLaid compares transforms of some lines with those of each alone, on all levels.
func testLaid[T dtype.Float](t *testing.T, f *Transform[T], lines, given int, from, to string) {
	before, after := f.Form.parts()
	made := f.Count
	if f.Form == FromReal {
		made = f.Count/2 + 1
	}
	src, dst := lay[T](from, lines, f.whole(), before), lay[T](to, lines, made, after)
	r := rand.New(rand.NewPCG(uint64(f.Count), uint64(lines)))
	for i := range src.memory {
		src.memory[i] = T(r.NormFloat64())
	}
	near := src.next < src.step || dst.next < dst.step
	if f.IsShared() {
		near = false
	}
	want := [][]T{}
	features.Each(func(level features.Level) {
		if level == features.Portable {
			for line := range lines {
				want = append(want, alone(f, src.line(line, given), given))
			}
		}
		for i := range dst.memory {
			dst.memory[i] = untouched
		}
		w := Borrow[T](f.Room(), max(lines, f.Together(near)))
		f.Run(parallel.Serial(), w, dst.lines(), src.lines(), lines, given, near)
		for line := range lines {
			name := fmt.Sprintf("form %d of %d numbers, %d given, line %d of %d, %s, then %s, %v", f.Form, f.Count, given, line, lines, from, to, level)
			requireSameElements(t, want[line], dst.line(line, made), name)
		}
		w.GiveBack()
		for line := range lines {
			for number := range made {
				for part := range after {
					dst.memory[line*dst.next+number*dst.step+part] = untouched
				}
			}
		}
		for i, v := range dst.memory {
			if v != untouched {
				require.Equal(t, T(untouched), v, "element %d between lines, form %d of %d numbers, %d lines, %s, then %s, %v", i, f.Form, f.Count, lines, from, to, level)
			}
		}
	})
}

// alone is the transform of a line, from memory of its own to other.
func alone[T dtype.Float](f *Transform[T], line []T, given int) []T {
	const layout = "lines follow one another"
	before, after := f.Form.parts()
	made := f.Count
	if f.Form == FromReal {
		made = f.Count/2 + 1
	}
	src, dst := lay[T](layout, 1, f.whole(), before), lay[T](layout, 1, made, after)
	copy(src.memory, line)
	w := Borrow[T](f.Room(), 1)
	defer w.GiveBack()
	f.Run(parallel.Serial(), w, dst.lines(), src.lines(), 1, given, false)
	return dst.line(0, made)
}

// requireSameElements tells zeros with a sign from others.
func requireSameElements[T dtype.Float](t *testing.T, want, got []T, name string) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	for i, v := range want {
		if v != got[i] || v == 0 && 1/v != 1/got[i] {
			require.Equal(t, v, got[i], "%s, element %d", name, i)
		}
	}
}

func TestResultsDoNotDependOnTheNumberOfThreads(t *testing.T) {
	for _, n := range []int{1 << 15, 3 << 15, 100_000, 32_771} {
		for form := Complex; form <= ToReal; form++ {
			f := New[float32](form, n, false, 0.5)
			before, after := form.parts()
			const layout = "lines follow one another"
			src, dst := lay[float32](layout, 1, f.whole(), before), lay[float32](layout, 1, n, after)
			r := rand.New(rand.NewPCG(uint64(n), 1))
			for i := range src.memory {
				src.memory[i] = float32(r.NormFloat64())
			}
			want := alone(f, src.line(0, f.whole()), f.whole())
			for _, threads := range []int{2, 3, 8} {
				pool := parallel.New(threads)
				f.Run(pool.Thread(), WorkspaceIn(make([]Number[float32], 2*f.Room())), dst.lines(), src.lines(), 1, f.whole(), false)
				requireSameElements(t, want, dst.memory[:len(want)], fmt.Sprintf("form %d of %d numbers, %d threads", form, n, threads))
				pool.Close()
			}
		}
	}
}
