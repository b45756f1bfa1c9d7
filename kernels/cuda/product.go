package cuda

import (
	"errors"
	"math"
	"os"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// product is the kernel of products of matrices of floats, by cuBLAS where that takes them, and otherwise that of matmul.cu.
type product struct{ *kernel }

// Launch enqueues Outputs[0] = Inputs[0]·Inputs[1] over the last two axes, for every index of the axes before.
func (p *product) Launch(s device.Stream, a *device.Arguments) error {
	own, err := p.streamOf(s)
	if err != nil {
		return err
	}
	return own.enqueue(func(c driver.Context) error { return p.multiply(c, own, a) })
}

func (p *product) multiply(c driver.Context, s *stream, a *device.Arguments) error {
	plan, ok := planProduct(a)
	if !ok {
		return p.enqueue(c, s, a)
	}
	if err := s.useBLAS(c); err != nil {
		return err
	}
	if err := s.unit.refusedProducts.of(&plan[0]); err != nil { // all are of one kind
		s.unit.refused(err)
		return p.enqueue(c, s, a)
	}
	for i := range plan {
		err := s.blas.Multiply(&plan[i])
		if errors.Is(err, errors.ErrUnsupported) { // all of it: what cuBLAS has computed is the same but for the order of its sums
			s.unit.refusedProducts.add(&plan[i], err)
			s.unit.refused(err)
			return p.enqueue(c, s, a)
		}
		if err != nil {
			return err
		}
		s.launched()
	}
	return nil
}

// refusedProducts are products that cuBLAS has refused on a device, which it is not asked for again: it would refuse
// them each time, and what it refuses while a stream keeps its work may end that.
type refusedProducts struct {
	mutex sync.RWMutex
	known map[driver.Product]error
}

// of returns the error of a product like p; nil if it was not refused.
func (r *refusedProducts) of(p *driver.Product) error {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	if len(r.known) == 0 {
		return nil
	}
	return r.known[withoutAddresses(p)]
}

// add remembers a refusal, of mostChoices kinds of products at most.
func (r *refusedProducts) add(p *driver.Product, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.known == nil {
		r.known = map[driver.Product]error{}
	}
	if len(r.known) < mostChoices {
		r.known[withoutAddresses(p)] = err
	}
}

// withoutAddresses returns what products at other places have in common.
func withoutAddresses(p *driver.Product) driver.Product {
	kind := *p
	kind.A, kind.B, kind.C = 0, 0, 0
	return kind
}

// useBLAS makes the handle of cuBLAS of the stream.
func (s *stream) useBLAS(c driver.Context) (err error) {
	if s.blas == nil {
		if s.blas, err = c.NewBLAS(s.handle); err == nil {
			s.unit.multiplies.Store(true)
		}
	}
	return err
}

// precisions are those of element types whose products cuBLAS computes.
var precisions = map[dtype.DType]driver.Precision{
	dtype.Float16: driver.Float16, dtype.BFloat16: driver.BFloat16, dtype.Float32: driver.Float32, dtype.Float64: driver.Float64,
}

// allowsTF32 is whether products of float32 may be computed in TF32. It is read once.
var allowsTF32 = sync.OnceValue(func() bool { return os.Getenv(driver.TF32Variable) == "1" })

func precisionOf(d dtype.DType) driver.Precision {
	if d == dtype.Float32 && allowsTF32() {
		return driver.TF32
	}
	return precisions[d]
}

// planProduct returns the calls of cuBLAS, which are at least one and differ in addresses alone; ok is false if it does
// not take the layouts.
func planProduct(a *device.Arguments) (calls []driver.Product, ok bool) {
	z, x, y := a.Outputs[0], a.Inputs[0], a.Inputs[1]
	to := matrixOf(z)
	if !to.known || to.transposed { // the transpose of a product is that of the transposes, the other way round
		z, x, y = transposed(z), transposed(y), transposed(x)
		to = matrixOf(z)
	}
	left, right := matrixOf(x), matrixOf(y)
	rank := len(z.Shape)
	m, n, k := z.Shape[rank-2], z.Shape[rank-1], x.Shape[rank-1]
	if !to.known || to.transposed || !left.known || !right.known || z.Count() == 0 || k == 0 || max(m, n, k) > math.MaxInt32 {
		return nil, false
	}
	// Rows that are adjacent are columns to cuBLAS: it computes the transpose.
	one := driver.Product{
		Precision: precisionOf(z.DType), M: n, N: m, K: k, Count: 1,
		TransposeA: right.transposed, TransposeB: left.transposed,
		LeadA: right.lead, LeadB: left.lead, LeadC: to.lead,
	}
	axes, err := sharedAxes(z.Shape[:rank-2], []device.View{outermost(z), outermost(x), outermost(y)})
	if err != nil {
		return nil, false
	}
	_, axes = collapse(axes)
	starts := [3]uintptr{z.Pointer.Address, x.Pointer.Address, y.Pointer.Address}
	return eachProduct(nil, axes, one, starts, uintptr(z.DType.Size())), true
}

// eachProduct appends the products for all indices of axes, those along the last in one call.
func eachProduct(calls []driver.Product, axes []axis, one driver.Product, starts [3]uintptr, size uintptr) []driver.Product {
	if len(axes) > 1 {
		for i := range axes[0].size {
			at := starts
			for k := range at {
				at[k] += uintptr(i*axes[0].strides[k]) * size
			}
			calls = eachProduct(calls, axes[1:], one, at, size)
		}
		return calls
	}
	one.C, one.B, one.A = driver.Address(starts[0]), driver.Address(starts[1]), driver.Address(starts[2])
	if len(axes) == 1 {
		one.Count = axes[0].size
		one.NextC, one.NextB, one.NextA = axes[0].strides[0], axes[0].strides[1], axes[0].strides[2]
	}
	return append(calls, one)
}

// matrix is the layout of the last two axes of a view.
type matrix struct {
	known      bool // elements are adjacent along one of them
	transposed bool // along the first of them
	lead       int  // elements from one row, or column, to the next
}

func matrixOf(v device.View) matrix {
	rank := len(v.Shape)
	rows, columns, down, across := v.Shape[rank-2], v.Shape[rank-1], v.Strides[rank-2], v.Strides[rank-1]
	switch {
	case (across == 1 || columns == 1) && (rows == 1 || down >= columns) && down <= math.MaxInt32:
		if rows == 1 {
			down = columns
		}
		return matrix{known: true, lead: max(down, 1)}
	case (down == 1 || rows == 1) && (columns == 1 || across >= rows) && across <= math.MaxInt32:
		if columns == 1 {
			across = rows
		}
		return matrix{known: true, transposed: true, lead: max(across, 1)}
	}
	return matrix{}
}

// transposed returns v with its last two axes exchanged.
func transposed(v device.View) device.View {
	rank := len(v.Shape)
	v.Shape, v.Strides = append([]int(nil), v.Shape...), append([]int(nil), v.Strides...)
	v.Shape[rank-2], v.Shape[rank-1] = v.Shape[rank-1], v.Shape[rank-2]
	v.Strides[rank-2], v.Strides[rank-1] = v.Strides[rank-1], v.Strides[rank-2]
	return v
}

// outermost returns v without its last two axes.
func outermost(v device.View) device.View {
	v.Shape, v.Strides = v.Shape[:len(v.Shape)-2], v.Strides[:len(v.Strides)-2]
	return v
}
