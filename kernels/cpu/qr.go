package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/factor"
	"github.com/weft-nd/weft/parallel"
)

// qr computes Outputs[0] and Outputs[1], the reduced factors Q and R of the matrices of Inputs[0]. The diagonal of R is
// real and not negative. Factors of elements that are not finite are NaN.
func qr[E factor.Element]() entry {
	return entry{dtype.Of[E]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		m, s := matricesOf(a.Inputs[0]), scratch{memory: a.Scratch}
		if m.count*m.size() == 0 {
			return nil
		}
		reduced := temporaryLines[E](t, &s, a.Inputs[0])
		q, finishQ := writeLines[E](t, &s, a.Outputs[0])
		r, finishR := writeLines[E](t, &s, a.Outputs[1])
		small := min(m.rows, m.columns)
		m.each(t, cube(small, 4*float64(max(m.rows, m.columns))/float64(small)), func(t *parallel.Thread, number int) int {
			reduced, q, r := lot(reduced, number, m.count), lot(q, number, m.count), lot(r, number, m.count)
			if !allFinite(reduced) {
				fillNaN(q)
				fillNaN(r)
				return sound
			}
			factor.QR(t, m.rows, m.columns, reduced, m.columns, q, small)
			copy(r, reduced)
			return sound
		})
		finishQ()
		finishR()
		return nil
	}}
}

// fillNaN replaces numbers of which not all are finite.
func fillNaN[E factor.Element](x []E) {
	for i := range x {
		x[i] = elementOf[E](complex(noNumber, noNumber))
	}
}

var _ = register("qr", qr[float32](), qr[float64](), qr[complex64](), qr[complex128]())

// QRScratch returns the bytes of temporary memory for copies of matrices to factor, and for factors.
func QRScratch(a, q, r device.View) int {
	bytes := linesDemand(a.Count(), a.DType.Size(), false)
	for _, view := range []device.View{q, r} {
		_, whole := rowMajorCount(view)
		bytes += linesDemand(view.Count(), view.DType.Size(), whole)
	}
	return demand(bytes)
}
