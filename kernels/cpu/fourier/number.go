package fourier

import "github.com/weft-nd/weft/dtype"

// Number is a complex number, in memory what complex64 and complex128 are. Its arithmetic rounds every product, where that of
// Go's complex numbers may be fused.
type Number[T dtype.Float] struct{ Re, Im T }

func (x Number[T]) plus(y Number[T]) Number[T]  { return Number[T]{x.Re + y.Re, x.Im + y.Im} }
func (x Number[T]) minus(y Number[T]) Number[T] { return Number[T]{x.Re - y.Re, x.Im - y.Im} }
func (x Number[T]) scaled(y T) Number[T]        { return Number[T]{T(x.Re * y), T(x.Im * y)} }
func (x Number[T]) conjugate() Number[T]        { return Number[T]{x.Re, -x.Im} }

// turned is −i·x.
func (x Number[T]) turned() Number[T] { return Number[T]{x.Im, -x.Re} }

func (x Number[T]) times(y Number[T]) Number[T] {
	return Number[T]{T(x.Re*y.Re) - T(x.Im*y.Im), T(x.Im*y.Re) + T(x.Re*y.Im)}
}
