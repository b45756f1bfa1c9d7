package ndarray

import "github.com/weft-nd/weft/ops"

// Complex returns the complex numbers re + im·i, element by element; re and im broadcast. Float64, and integers of 32 bits and
// more, give complex128, all else complex64. It panics with *Error if one of them is complex.
func Complex(re, im *Array) *Array { return call(ops.Complex, nil, re, im) }

// ComplexInto is Complex written to dst, which must have the shape and dtype of the result.
func ComplexInto(dst, re, im *Array) { callInto(ops.Complex, nil, dst, re, im) }

// Real returns the real parts of a, a view: what is written to it changes a. That of real numbers sees a itself. It panics with
// *Error if a holds bool.
func (a *Array) Real() *Array { return call(ops.RealPart, nil, a) }

// Imag returns the imaginary parts of a, a view: what is written to it changes a. It panics with *Error unless a is complex.
func (a *Array) Imag() *Array { return call(ops.ImaginaryPart, nil, a) }
