package ndarray

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// IsIn returns, for each element of a, whether it equals any of values, whatever their shape: NumPy's isin. NaN equals nothing,
// not even other NaN. Dtypes are promoted. It takes time as sorting values and searching them does. It panics with *Error if an
// array is complex, or one is uint64 and the other of signed integers, which meet in float64: cast one.
func (a *Array) IsIn(values *Array) *Array {
	const operator = "IsIn"
	checkNotNil(operator, a, values)
	defer named(operator, a, values)
	d, e := a.DType(), values.DType()
	switch {
	case d.IsComplex() || e.IsComplex():
		fail(operator, fault.ErrDType, "complex numbers have no order", a, values)
	case d.IsInteger() && e.IsInteger() && dtype.Promote(d, e).IsFloat():
		fail(operator, fault.ErrDType, "no dtype of integers holds those of both: cast one", a, values)
	case values.Count() == 0:
		return ZerosIn(a.Env(), dtype.Bool, a.Shape()...)
	}
	operands := InOneCapture(a, values)
	a, values = operands[0], operands[1]
	var made temporaries
	sorted := made.add(made.add(values.Detach().Reshape(values.Count())).Sort(0))
	place := made.add(SearchSorted(sorted, a))
	place = made.add(place.MinimumScalar(float64(values.Count() - 1)))
	return made.discard(made.add(sorted.Take(place, 0)).Equal(a), a, values)
}
