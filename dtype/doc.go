// Package dtype names the element types of arrays, relates them to Go types, and holds the rules by which two of them
// combine.
//
// Arrays are typed at run time by a DType; Go's generics appear at the edges only (Of, Element). Values of this package
// are immutable and may be used from any goroutine. The package holds no memory and does no array arithmetic.
package dtype
