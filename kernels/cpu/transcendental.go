package cpu

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// The cost of one element, in nanoseconds, of functions that are computed in single and in double precision.
const (
	single = 0.4
	double = 2
)

// transcendental registers a function of calculus.
func transcendental(operator string, f calculus.Unary) struct{} {
	registerLoops(operator,
		unaryLoop(f.Float32, single).streaming(pastCaches(f.Past32)),
		unaryLoop(f.Float64, double).streaming(pastCaches(f.Past64)))
	return halves(1, operator)
}

// pastCaches is the inner loop for results past the caches.
func pastCaches[T dtype.Float](compute func(dst, x []T)) loop {
	return func(count int, p pointers) { compute(slice[T](p[0], count), slice[T](p[1], count)) }
}

var (
	_ = transcendental("exp", calculus.Exp)
	_ = transcendental("exp2", calculus.Exp2)
	_ = transcendental("expm1", calculus.Expm1)
	_ = transcendental("log", calculus.Log)
	_ = transcendental("log2", calculus.Log2)
	_ = transcendental("log10", calculus.Log10)
	_ = transcendental("log1p", calculus.Log1p)
	_ = transcendental("sqrt", calculus.Sqrt)
	_ = transcendental("rsqrt", calculus.Rsqrt)
	_ = transcendental("cbrt", calculus.Cbrt)
	_ = transcendental("sin", calculus.Sin)
	_ = transcendental("cos", calculus.Cos)
	_ = transcendental("tan", calculus.Tan)
	_ = transcendental("asin", calculus.Asin)
	_ = transcendental("acos", calculus.Acos)
	_ = transcendental("atan", calculus.Atan)
	_ = transcendental("sinh", calculus.Sinh)
	_ = transcendental("cosh", calculus.Cosh)
	_ = transcendental("tanh", calculus.Tanh)
	_ = transcendental("asinh", calculus.Asinh)
	_ = transcendental("acosh", calculus.Acosh)
	_ = transcendental("atanh", calculus.Atanh)
	_ = transcendental("erf", calculus.Erf)
)

// The functions of complex numbers.
var (
	_ = complexFunction(expComplex).abreast("exp", expLine)
	_ = complexFunction(expm1Complex).abreast("expm1", expm1Line)
	_ = complexFunction(logComplex).abreast("log", logLine)
	_ = log2Complex.abreast("log2", log2Line)
	_ = log10Complex.abreast("log10", log10Line)
	_ = complexFunction(log1pComplex).abreast("log1p", log1pLine)
	_ = complexFunction(sqrtComplex).abreast("sqrt", sqrtLine)
	_ = reversed(sinhComplex).abreast("sin", sinLine)
	_ = complexFunction(cosComplex).abreast("cos", cosLine)
	_ = reversed(tanhComplex).abreast("tan", tanLine)
	_ = reversed(asinhComplex).abreast("asin", asinLine)
	_ = complexFunction(acosComplex).abreast("acos", acosLine)
	_ = reversed(atanhComplex).abreast("atan", atanLine)
	_ = complexFunction(sinhComplex).abreast("sinh", sinhLine)
	_ = complexFunction(coshComplex).abreast("cosh", coshLine)
	_ = complexFunction(tanhComplex).abreast("tanh", tanhLine)
	_ = complexFunction(asinhComplex).abreast("asinh", asinhLine)
	_ = complexFunction(acoshComplex).abreast("acosh", acoshLine)
	_ = complexFunction(atanhComplex).abreast("atanh", atanhLine)
)
