package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// rowLoops are loops over the elements of a row, at one level. They take any positive count, and dst may be an operand. At
// all levels they give the same bits, but for those of NaN.
//
// Sums are made in float64, but for those of eight elements. The element i is accumulated in lane i%16 of float32, and in lane i%8 of
// float64 elements; laneTotal joins the lanes.
type rowLoops[T dtype.Float] struct {
	// largest returns the largest element; any, if one is NaN.
	largest func(x *T, count int) T
	// exponentials sets dst to exp(x − shift), where x is not greater than shift.
	exponentials func(dst, x *T, count int, shift T)
	// multiply sets dst to x·factor, and subtract to (x − first) − second.
	multiply func(dst, x *T, count int, factor T)
	subtract func(dst, x *T, count int, first, second T)
	// softmaxSlope sets dst to y·(u − total), and logSoftmaxSlope to u − exp(y)·total.
	softmaxSlope, logSoftmaxSlope func(dst, y, u *T, count int, total T)

	// The following join the values of eight steps of 64 bytes in T, as long as there are eight, then of four, two and one of
	// the steps that are left: widening a float32 costs more than everything else, and the error of so few additions does not
	// grow with the row. Values of one half of the steps are added to those of the other, and so on; products are fused with
	// the sum of those before, four in a row.
	//
	// sum returns Σ x, and dot Σ x·y. Of d = x − origin and g = u·scale, momentsFrom returns Σ d and Σ d², slopesFrom Σ g and Σ g·d, and
	// jointFrom all of these; it is nil where it is not faster.
	sum         func(x *T, count int) float64
	dot         func(x, y *T, count int) float64
	momentsFrom func(x *T, count int, origin T) (sum, squares float64)
	slopesFrom  func(x, u, scale *T, count int, origin T) (slopes, products float64)
	jointFrom   func(x, u, scale *T, count int, origin T) (sum, slopes, squares, products float64)

	// The following add to lanes; totals returns the sums 0 and 1 of these, and sets them to zero. As long as there are two
	// steps, their values are joined in float64, which holds products of float32 elements exactly.
	totals func(sums *laneSums) (first, second float64)
	// shiftedMoments adds x − shift to sum 0 and its square to sum 1; only float64 elements are shifted.
	shiftedMoments func(x *T, count int, shift float64, sums *laneSums)
	// products adds y to sum 0 and y·(x − shift) to sum 1; scaledProducts does that for y·scale.
	products       func(x, y *T, count int, shift float64, sums *laneSums)
	scaledProducts func(x, y, scale *T, count int, shift float64, sums *laneSums)
	// jointProducts adds what shiftedMoments adds to moments, and what products adds to sums; nil where it is not faster, as for all
	// elements that are shifted.
	jointProducts func(x, y *T, count int, moments, sums *laneSums)

	// affine sets dst to d·p[2] + p[3], where d = x − p[0] − p[1]; scaled to d·p[2]·scale, and scaledAffine to that + bias.
	affine       func(dst, x *T, count int, p *[6]T)
	scaled       func(dst, x, scale *T, count int, p *[6]T)
	scaledAffine func(dst, x, scale, bias *T, count int, p *[6]T)
	// affineSlope sets dst to u·p[2] + (d·p[3] + p[4]). scaledSlope does that for u·p[2]·scale, fused, and adds d·(u·p[2]) to
	// scaleSlope and u to biasSlope.
	affineSlope func(dst, x, u *T, count int, p *[6]T)
	scaledSlope func(dst, x, u, scale, scaleSlope, biasSlope *T, count int, p *[6]T)
	// scaledSlopes is scaledSlope for two rows of dst, x and u that are stride bytes apart; nil without assembly.
	scaledSlopes func(dst, x, u, scale, scaleSlope, biasSlope *T, stride, count int, p *[2][6]T)

	updateLoops[T]
	recurrentLoops[T]
}

// laneSums holds the lanes of up to two sums, one sum behind the other.
type laneSums = [32]float64

const (
	levelAVX2   = features.AVX2
	levelAVX512 = features.AVX512
)

// The loops by levels; nothing changes once the package is initialised.
var (
	rowLoops32 = [levelAVX512 + 1]rowLoops[float32]{portableRowLoops(calculus.ExpFloat32, calculus.ExpOfNegativeFloat32)}
	rowLoops64 = [levelAVX512 + 1]rowLoops[float64]{portableRowLoops(calculus.ExpFloat64, calculus.ExpOfNegativeFloat64)}
)

// rowLoopsOf returns the loops over rows of T for this machine.
func rowLoopsOf[T dtype.Float]() *rowLoops[T] {
	if loops, ok := any(&rowLoops32[features.Best]).(*rowLoops[T]); ok {
		return loops
	}
	return any(&rowLoops64[features.Best]).(*rowLoops[T])
}

// rowLanes returns how many lanes rows of T have.
func rowLanes[T dtype.Float]() int {
	var element T
	return 64 / int(unsafe.Sizeof(element))
}

// laneTotal returns sum i of rows of T: the lanes of one half join those of the other, and so on.
func laneTotal[T dtype.Float](sums *laneSums, i int) float64 {
	if rowLanes[T]() == 8 {
		return joinEight((*[8]float64)(sums[8*i:]))
	}
	return joinSixteen((*[16]float64)(sums[16*i:]))
}

func joinSixteen(x *[16]float64) float64 {
	return (((x[0] + x[8]) + (x[4] + x[12])) + ((x[2] + x[10]) + (x[6] + x[14]))) +
		(((x[1] + x[9]) + (x[5] + x[13])) + ((x[3] + x[11]) + (x[7] + x[15])))
}

func joinEight(x *[8]float64) float64 {
	return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}
