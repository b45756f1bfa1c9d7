package cpu

import "github.com/weft-nd/weft/dtype"

// The cost of one element, in nanoseconds, of functions that are computed in single and in double precision.
const (
	single = 0.4
	double = 2
)

// transcendental registers a function that internal/gen has written.
func transcendental(operator string, portable32 func(float32) float32, portable64 func(float64) float64) struct{} {
	registerLoops(operator,
		unaryLoop(vectorized(operator, portable32), single).streaming(pastCaches(operator, portable32)),
		unaryLoop(vectorized(operator, portable64), double).streaming(pastCaches(operator, portable64)))
	return halves(1, operator)
}

// pastCaches is the inner loop for results past the caches.
func pastCaches[T dtype.Float](operator string, portable func(T) T) loop {
	compute := vectorizedPast(operator, portable)
	return func(count int, p pointers) { compute(slice[T](p[0], count), slice[T](p[1], count)) }
}

var (
	_ = transcendental("exp", expFloat32, expFloat64)
	_ = transcendental("exp2", exp2Float32, exp2Float64)
	_ = transcendental("expm1", expm1Float32, expm1Float64)
	_ = transcendental("log", logFloat32, logFloat64)
	_ = transcendental("log2", log2Float32, log2Float64)
	_ = transcendental("log10", log10Float32, log10Float64)
	_ = transcendental("log1p", log1pFloat32, log1pFloat64)
	_ = transcendental("sqrt", sqrtFloat32, sqrtFloat64)
	_ = transcendental("rsqrt", rsqrtFloat32, rsqrtFloat64)
	_ = transcendental("cbrt", cbrtFloat32, cbrtFloat64)
	_ = transcendental("sin", sinFloat32, sinFloat64)
	_ = transcendental("cos", cosFloat32, cosFloat64)
	_ = transcendental("tan", tanFloat32, tanFloat64)
	_ = transcendental("asin", asinFloat32, asinFloat64)
	_ = transcendental("acos", acosFloat32, acosFloat64)
	_ = transcendental("atan", atanFloat32, atanFloat64)
	_ = transcendental("sinh", sinhFloat32, sinhFloat64)
	_ = transcendental("cosh", coshFloat32, coshFloat64)
	_ = transcendental("tanh", tanhFloat32, tanhFloat64)
	_ = transcendental("asinh", asinhFloat32, asinhFloat64)
	_ = transcendental("acosh", acoshFloat32, acoshFloat64)
	_ = transcendental("atanh", atanhFloat32, atanhFloat64)
	_ = transcendental("erf", erfFloat32, erfFloat64)
)

// The functions of complex numbers.
var (
	_ = complexFunction(expComplex).on("exp")
	_ = complexFunction(expm1Complex).on("expm1")
	_ = complexFunction(logComplex).on("log")
	_ = log2Complex.on("log2")
	_ = log10Complex.on("log10")
	_ = complexFunction(log1pComplex).on("log1p")
	_ = complexFunction(sqrtComplex).on("sqrt")
	_ = reversed(sinhComplex).on("sin")
	_ = complexFunction(cosComplex).on("cos")
	_ = reversed(tanhComplex).on("tan")
	_ = reversed(asinhComplex).on("asin")
	_ = complexFunction(acosComplex).on("acos")
	_ = reversed(atanhComplex).on("atan")
	_ = complexFunction(sinhComplex).on("sinh")
	_ = complexFunction(coshComplex).on("cosh")
	_ = complexFunction(tanhComplex).on("tanh")
	_ = complexFunction(asinhComplex).on("asinh")
	_ = complexFunction(acoshComplex).on("acosh")
	_ = complexFunction(atanhComplex).on("atanh")
)

// The exponential function on slices, for kernels that are made of it.
var exp32, exp64 = vectorized("exp", expFloat32), vectorized("exp", expFloat64)

// The hyperbolic tangent on slices, for kernels that have gates.
var tanh32, tanh64 = vectorized("tanh", tanhFloat32), vectorized("tanh", tanhFloat64)

// logarithms sets dst to the natural logarithms of x.
var logarithms = vectorized("log", logFloat64)
