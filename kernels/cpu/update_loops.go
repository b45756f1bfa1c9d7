package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// updateCoefficients are the numbers p of a step of an optimiser on one weight array, rounded to its element type.
type updateCoefficients[T dtype.Float] = [10]T

// updateLoops are the steps of optimisers on count elements. In all, the slope g is the gradient plus p[0] times the weight, and states
// below the normal numbers become zero: processors take a hundred times as long for them, and under zero gradients they would stay.
type updateLoops[T dtype.Float] struct {
	// sgd sets velocity to p[1]·velocity + g, and takes p[2]·velocity + p[3]·g from weight.
	sgd func(weight, velocity, gradient *T, count int, p *updateCoefficients[T])
	// adam sets mean to p[1]·mean + p[2]·g, and square to p[3]·square + p[4]·g². Then weight becomes
	// p[8]·weight − p[5]·mean / (p[6]·√square + p[7]).
	adam func(weight, mean, square, gradient *T, count int, p *updateCoefficients[T])
	// rmsprop sets square to p[1]·square + p[2]·g², and velocity to p[4]·velocity + g / (√square + p[3]), of which it takes p[5]
	// times from weight.
	rmsprop func(weight, square, velocity, gradient *T, count int, p *updateCoefficients[T])
}

// portableUpdateLoops returns the loops of updateLoops in Go. Conversions keep products from being fused with sums.
func portableUpdateLoops[T dtype.Float]() updateLoops[T] {
	return updateLoops[T]{
		sgd: func(weight, velocity, gradient *T, count int, p *updateCoefficients[T]) {
			weights, velocities := rowOf(weight, count), rowOf(velocity, count)
			for i, g := range rowOf(gradient, count) {
				g += T(weights[i] * p[0])
				v := normalOrZero(T(velocities[i]*p[1]) + g)
				velocities[i] = v
				weights[i] -= T(v*p[2]) + T(g*p[3])
			}
		},
		adam: func(weight, mean, square, gradient *T, count int, p *updateCoefficients[T]) {
			weights, means, squares := rowOf(weight, count), rowOf(mean, count), rowOf(square, count)
			for i, g := range rowOf(gradient, count) {
				g += T(weights[i] * p[0])
				m := normalOrZero(T(means[i]*p[1]) + T(g*p[2]))
				s := normalOrZero(T(squares[i]*p[3]) + T(T(g*g)*p[4]))
				means[i], squares[i] = m, s
				weights[i] = T(weights[i]*p[8]) - T(m*p[5])/(T(squareRoot(s)*p[6])+p[7])
			}
		},
		rmsprop: func(weight, square, velocity, gradient *T, count int, p *updateCoefficients[T]) {
			weights, squares, velocities := rowOf(weight, count), rowOf(square, count), rowOf(velocity, count)
			for i, g := range rowOf(gradient, count) {
				g += T(weights[i] * p[0])
				s := normalOrZero(T(squares[i]*p[1]) + T(T(g*g)*p[2]))
				v := normalOrZero(T(velocities[i]*p[4]) + g/(squareRoot(s)+p[3]))
				squares[i], velocities[i] = s, v
				weights[i] -= T(v * p[5])
			}
		},
	}
}

// normalOrZero returns x with zero in place of subnormal numbers.
func normalOrZero[T dtype.Float](x T) T {
	least := 0x1p-126
	if rowLanes[T]() == 8 {
		least = 0x1p-1022
	}
	if math.Abs(float64(x)) < least {
		return 0
	}
	return x
}

// squareRoot is correctly rounded, for float32 because float64 has more than twice the digits.
func squareRoot[T dtype.Float](x T) T { return T(math.Sqrt(float64(x))) }
