package cpu

import (
	"os"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// kernelsVariable set to gonum makes products of float32 and float64 matrices those of gonum; set to nobfloat16 (or
// noamx) it makes those of int8 and bfloat16 do without AMX and AVX512_BF16, so that the latter have the bits that they
// have on processors without either; all are of package kernels/cpu/gemm, with the instructions that there are, if it
// is not set.
const kernelsVariable = "WEFT_CPU_KERNELS"

var usesGonum = chooseKernels(os.Getenv(kernelsVariable), features.DropNarrow)

// chooseKernels returns whether products are those of gonum, and calls dropNarrow if they are to do without
// instructions for narrow numbers.
func chooseKernels(value string, dropNarrow func()) (gonum bool) {
	switch value {
	case "", "gonum":
	case "nobfloat16", "noamx":
		dropNarrow()
	default:
		panic(fault.Variable(kernelsVariable, value, "gonum, nobfloat16"))
	}
	return value == "gonum"
}

var _ = register("matmul",
	entry{"float32", choosing(multiplyFloats[float32], multiplying(gonum32))},
	entry{"float64", choosing(multiplyFloats[float64], multiplying(gonum64))},
	entry{"complex64", multiplyComplex[float32]()}, entry{"complex128", multiplyComplex[float64]()},
	entry{"float16", multiplyHalves}, entry{"bfloat16", multiplyHalves},
	entry{"int8", byLines(multiplyViews(newInt8Product))},
	entry{"int16", byLines(multiplyShort)}, entry{"uint8", byLines(multiplyShort)}, entry{"uint16", byLines(multiplyShort)},
	entry{"int32", byLines(multiplyViews(newIntegerProduct[int32]))}, entry{"uint32", byLines(multiplyViews(newIntegerProduct[int32]))},
	entry{"int64", byLines(multiplyViews(newIntegerProduct[int64]))}, entry{"uint64", byLines(multiplyViews(newIntegerProduct[int64]))},
)

func choosing(own, gonum Kernel) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		if usesGonum {
			return gonum(t, a)
		}
		return own(t, a)
	}
}

// MatMulScratch returns the bytes of temporary memory that the kernel of a product of views with these element types, shapes
// and strides takes.
func MatMulScratch(output, x, y device.View) int {
	if output.Count() == 0 {
		return 0
	}
	if x.DType.IsInteger() && vectorProduct(output, x, y) != nil {
		return 0
	}
	switch x.DType {
	case dtype.Float16, dtype.BFloat16:
		return halvesScratch(output, x, y)
	case dtype.Int8:
		return viewsScratch(output, x, y, newInt8Product)
	case dtype.Int16, dtype.Uint8, dtype.Uint16:
		return shortScratch(output, x, y)
	case dtype.Int32, dtype.Uint32:
		return viewsScratch(output, x, y, newIntegerProduct[int32])
	case dtype.Int64, dtype.Uint64:
		return viewsScratch(output, x, y, newIntegerProduct[int64])
	case dtype.Complex64:
		return complexScratch[float32](output, x, y)
	case dtype.Complex128:
		return complexScratch[float64](output, x, y)
	}
	if usesGonum {
		return tiledScratch(output, x, y)
	}
	if x.DType == dtype.Float32 {
		return floatScratch[float32](output, x, y)
	}
	return floatScratch[float64](output, x, y)
}

// multiplyFloats computes Outputs[0] = Inputs[0]·Inputs[1] over the last two axes, for every index of the axes before.
func multiplyFloats[T gemm.Float](t *parallel.Thread, a *device.Arguments) error {
	output := a.Outputs[0]
	if output.Count() == 0 {
		return nil
	}
	s := scratch{memory: a.Scratch, keeps: true}
	defer s.release()
	result := output
	if !hasAdjacent(output) {
		result = newPacked(&s, output)
	}
	p := newProduct[T](result, a.Inputs[0], a.Inputs[1])
	p.Run(t, s.take(p.Scratch()).Host)
	if result.Pointer != output.Pointer {
		copyView(t, output, result)
	}
	return nil
}

func floatScratch[T gemm.Float](output, x, y device.View) int {
	s := scratch{dry: true}
	if !hasAdjacent(output) {
		output = newPacked(&s, output)
	}
	s.take(newProduct[T](output, x, y).Scratch())
	return demand(s.bytes)
}

// hasAdjacent tells whether elements are adjacent along one of the last two axes, of a row along itself.
func hasAdjacent(view device.View) bool {
	rank := len(view.Shape)
	return view.Shape[rank-1] == 1 || view.Strides[rank-1] == 1 || view.Shape[rank-2] > 1 && view.Strides[rank-2] == 1
}

// newProduct returns the products of all matrices of x and y, to an output that hasAdjacent elements. Matrices of x that follow each other
// like the rows of one, and meet the same y, are one; but not single rows, whose sums have an order of their own.
func newProduct[T gemm.Float](output, x, y device.View) gemm.Product[T] {
	rank := len(output.Shape)
	p := gemm.Product[T]{
		M: output.Shape[rank-2], N: output.Shape[rank-1], K: x.Shape[rank-1],
		Alpha: 1,
		A:     matrixAt(x), B: matrixAt(y), C: matrixAt(output),
	}
	outer := rank - 2
	for ; outer > 0; outer-- {
		axis := outer - 1
		if output.Shape[axis] == 1 {
			continue
		}
		if p.M == 1 || y.Strides[axis] != 0 || x.Strides[axis] != p.M*p.A.RowStride || output.Strides[axis] != p.M*p.C.RowStride {
			break
		}
		p.M *= output.Shape[axis]
	}
	if outer > 0 {
		p.Count, p.Offsets = batchOf(p.A, p.B, p.C, outermost(output, outer), outermost(x, outer), outermost(y, outer))
	}
	return p
}

// batchOf returns how many products there are along the axes of the views, and where the matrices of each start, a, b and c being those
// of the first.
func batchOf(a, b, c gemm.Matrix, output, x, y device.View) (count int, offsets func(product int) (a, b, c int)) {
	batch := newOrderedNest(output, x, y)
	switch {
	case batch.count <= 1:
		return batch.count, nil
	case batch.inner() == batch.count:
		return batch.count, gemm.Strided(batch.stride(1)/x.DType.Size(), batch.stride(2)/y.DType.Size(), batch.stride(0)/output.DType.Size())
	}
	return batch.count, func(product int) (int, int, int) {
		var at cursor
		at.seek(batch, product)
		return offset(a, at.address(1), x), offset(b, at.address(2), y), offset(c, at.address(0), output)
	}
}

func matrixAt(view device.View) gemm.Matrix {
	rank := len(view.Shape)
	return gemm.Matrix{Start: view.Pointer.Host, RowStride: view.Strides[rank-2], ColumnStride: view.Strides[rank-1]}
}

// matrixFrom returns the matrix at an element of all, with rows so many elements apart.
func matrixFrom[T gemm.Float](all []T, start, step int) gemm.Matrix {
	return gemm.Matrix{Start: unsafe.Pointer(unsafe.SliceData(all[start:])), RowStride: step, ColumnStride: 1}
}

// turned returns the transpose of m.
func turned(m gemm.Matrix) gemm.Matrix {
	return gemm.Matrix{Start: m.Start, RowStride: m.ColumnStride, ColumnStride: m.RowStride}
}

// offset returns how many elements of view an address is from the start of m.
func offset(m gemm.Matrix, address uintptr, view device.View) int {
	return int(address-uintptr(m.Start)) / view.DType.Size()
}

// outermost returns view with its first axes alone.
func outermost(view device.View, axes int) device.View {
	view.Shape, view.Strides = view.Shape[:axes], view.Strides[:axes]
	return view
}

// MatMulNanoseconds returns roughly how long one thread takes for a product of matrices with so many operations.
func MatMulNanoseconds(d dtype.DType, operations int64) float64 {
	switch d {
	case dtype.Float32:
		return gemm.Nanoseconds[float32](operations)
	case dtype.Float64:
		return gemm.Nanoseconds[float64](operations)
	case dtype.Int32, dtype.Uint32:
		return gemm.IntegerNanoseconds[int32](operations)
	case dtype.Int64, dtype.Uint64:
		return gemm.IntegerNanoseconds[int64](operations)
	default:
		return float64(operations)
	}
}
