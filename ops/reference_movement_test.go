package ops

import (
	"math"
	"math/bits"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/philox"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

func spans(start, count, step int) []storage.Span {
	return []storage.Span{{Start: start, Count: count, Step: step}}
}

// referenceCast follows the rule of the kernels: floats are truncated toward zero and saturate, integers wrap round, and
// to bool is whether the element is not zero.
func referenceCast(in []array, params any) []array {
	x, to := in[0], params.(CastParams).DType
	return []array{made(to, x.shape, func(index []int) float64 {
		v := x.at(index...)
		switch {
		case to == dtype.Bool && v != 0:
			return 1
		case to.IsInteger() && x.dtype.IsFloat():
			low, high := integerRange(to)
			return min(max(math.Trunc(v), low), high)
		case to.IsInteger():
			low, high := integerRange(to)
			for ; v < low; v += high - low + 1 {
			}
			for ; v > high; v -= high - low + 1 {
			}
			return v
		}
		return v
	})}
}

func integerRange(d dtype.DType) (low, high float64) {
	bits := float64(8 * d.Size())
	if d.Kind() == dtype.KindUnsigned {
		return 0, math.Exp2(bits) - 1
	}
	return -math.Exp2(bits - 1), math.Exp2(bits-1) - 1
}

func referenceReshape(in []array, params any) []array {
	shape, known := slices.Clone(params.(ReshapeParams).Shape), 1
	for _, n := range shape {
		if n >= 0 {
			known *= n
		}
	}
	for axis, n := range shape {
		if n < 0 {
			shape[axis] = len(in[0].values) / known
		}
	}
	return []array{{dtype: in[0].dtype, shape: shape, values: in[0].values}}
}

func referenceTranspose(in []array, params any) []array {
	x, axes := in[0], slices.Clone(params.(TransposeParams).Axes)
	rank := len(x.shape)
	if len(axes) == 0 {
		for axis := range rank {
			axes = append(axes, rank-1-axis)
		}
	}
	shape := make([]int, rank)
	for i := range axes {
		axes[i] = (axes[i] + rank) % rank
		shape[i] = x.shape[axes[i]]
	}
	return []array{made(x.dtype, shape, func(index []int) float64 {
		own := make([]int, rank)
		for i, axis := range axes {
			own[axis] = index[i]
		}
		return x.at(own...)
	})}
}

func referenceBroadcast(in []array, params any) []array {
	return []array{made(in[0].dtype, params.(BroadcastParams).Shape, in[0].broadcastAt)}
}

// spanned returns the index of the element that spans select by index.
func spanned(spans []storage.Span, index []int) []int {
	own := make([]int, len(index))
	for axis, s := range spans {
		own[axis] = s.Start + index[axis]*s.Step
	}
	return own
}

func referenceSlice(in []array, params any) []array {
	p := params.(SliceParams).Spans
	return []array{made(in[0].dtype, spanCounts(p), func(index []int) float64 { return in[0].at(spanned(p, index)...) })}
}

func referenceEmbed(in []array, params any) []array {
	p := params.(EmbedParams)
	out := newArray(in[0].dtype, p.Shape)
	eachIndex(in[0].shape, func(number int, index []int) {
		out.values[out.number(spanned(p.Spans, index))] = in[0].values[number]
	})
	return []array{out}
}

// onDiagonal returns the index of the element of an array of the given rank that is at an index of its diagonals.
func onDiagonal(p DiagonalParams, rank int, index []int) []int {
	at := index[len(index)-1]
	row, column := at, at+p.Offset
	if p.Offset < 0 {
		row, column = at-p.Offset, at
	}
	rows, columns := (p.Rows+rank)%rank, (p.Columns+rank)%rank
	place := slices.Insert(slices.Clone(index[:len(index)-1]), min(rows, columns), 0)
	place = slices.Insert(place, max(rows, columns), 0)
	place[rows], place[columns] = row, column
	return place
}

func referenceSlidingWindows(in []array, params any) []array {
	p, x := params.(SlidingWindowsParams), in[0]
	axis := (p.Axis + len(x.shape)) % len(x.shape)
	shape := append(with(x.shape, axis, (x.shape[axis]-p.Size)/p.Step+1), p.Size)
	return []array{made(x.dtype, shape, func(index []int) float64 {
		own := slices.Clone(index[:len(x.shape)])
		own[axis] = own[axis]*p.Step + index[len(x.shape)]
		return x.at(own...)
	})}
}

func referenceDiagonal(in []array, params any) []array {
	p, x := params.(DiagonalParams), in[0]
	c := &Call{Params: p}
	return []array{made(x.dtype, c.diagonalShape(p, x.shape), func(index []int) float64 { return x.at(onDiagonal(p, len(x.shape), index)...) })}
}

func referenceEmbedDiagonal(in []array, params any) []array {
	p := params.(EmbedDiagonalParams)
	out := newArray(in[0].dtype, p.Shape)
	eachIndex(in[0].shape, func(number int, index []int) {
		out.values[out.number(onDiagonal(p.diagonal(), len(p.Shape), index))] = in[0].values[number]
	})
	return []array{out}
}

func referenceConcat(in []array, params any) []array {
	axis := (params.(ConcatParams).Axis + len(in[0].shape)) % len(in[0].shape)
	shape := slices.Clone(in[0].shape)
	for _, a := range in[1:] {
		shape[axis] += a.shape[axis]
	}
	return []array{made(in[0].dtype, shape, func(index []int) float64 {
		own := slices.Clone(index)
		for _, a := range in {
			if own[axis] < a.shape[axis] {
				return a.at(own...)
			}
			own[axis] -= a.shape[axis]
		}
		panic("index behind all parts")
	})}
}

// resolved returns the place that an index means on an axis of n elements.
func resolved(index, n int, mode string) int {
	switch mode {
	case "wrap":
		return ((index % n) + n) % n
	case "clip":
		return min(max(index, 0), n-1)
	}
	if index < 0 {
		index += n
	}
	return index
}

// indexRange returns the bounds of the indices that are legal in a mode, with some out of range where that is.
func indexRange(mode string, n int) (low, high int) {
	if mode == "raise" {
		return -n, n
	}
	return -3 * n, 3 * n
}

// selectedFrom returns the index into the array for an index into what take selects from it.
func selectedFrom(shape []int, axis int, mode string, indices array, index []int) []int {
	behind := axis + len(indices.shape)
	i := resolved(int(indices.at(index[axis:behind]...)), shape[axis], mode)
	return slices.Concat(index[:axis], []int{i}, index[behind:])
}

func referenceTake(in []array, params any) []array {
	p, x := params.(TakeParams), in[0]
	axis := (p.Axis + len(x.shape)) % len(x.shape)
	shape := slices.Concat(x.shape[:axis], in[1].shape, x.shape[axis+1:])
	return []array{made(x.dtype, shape, func(index []int) float64 {
		return x.at(selectedFrom(x.shape, axis, p.Mode, in[1], index)...)
	})}
}

func referenceScatterAdd(in []array, params any) []array {
	p := params.(ScatterParams)
	out := newArray(in[0].dtype, p.Shape)
	out.scale = make([]float64, len(out.values))
	eachIndex(in[0].shape, func(number int, index []int) {
		to := out.number(selectedFrom(p.Shape, p.Axis, p.Mode, in[1], index))
		out.values[to] += in[0].values[number]
		out.scale[to] += math.Abs(in[0].values[number])
	})
	return []array{out}
}

func referenceOneHot(in []array, params any) []array {
	p, last := params.(OneHotParams), len(in[0].shape)
	return []array{made(p.DType, append(slices.Clone(in[0].shape), p.Depth), func(index []int) float64 {
		if int(in[0].at(index[:last]...)) == index[last] {
			return 1
		}
		return 0
	})}
}

func referenceFill(_ []array, params any) []array {
	p := params.(FillParams)
	return []array{made(p.DType, p.Shape, func([]int) float64 {
		if p.DType.IsFloat() {
			return p.Value
		}
		return float64(p.Integer)
	})}
}

// draw64 returns the 64 random bits of an element, as package philox documents them.
func draw64(key, sequence uint64, element int, draw uint16) uint64 {
	lanes := philox.Block(key, philox.Counter(sequence, uint64(element/2), draw))
	return uint64(lanes[2*(element%2)])<<32 | uint64(lanes[2*(element%2)+1])
}

func draw32(key, sequence uint64, element int) uint32 {
	return philox.Block(key, philox.Counter(sequence, uint64(element/4), 0))[element%4]
}

func referenceUniform(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(UniformParams)
	out := newArray(p.DType, p.Shape)
	for i := range out.values {
		u := float64(draw64(ticket.Key, ticket.Sequence, i, 0)>>11) / (1 << 53)
		if p.DType == dtype.Float32 {
			u = float64(draw32(ticket.Key, ticket.Sequence, i)>>8) / (1 << 24)
		}
		out.values[i] = p.Low + u*(p.High-p.Low)
	}
	return []array{out}
}

// referenceNormal is Box and Muller's method: of the elements of one block the first takes the cosine, the second the sine.
func referenceNormal(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(NormalParams)
	out := newArray(p.DType, p.Shape)
	for i := range out.values {
		u := 1 - float64(draw64(ticket.Key, ticket.Sequence, i&^1, 0)>>11)/(1<<53)
		turn := float64(draw64(ticket.Key, ticket.Sequence, i|1, 0)>>11) / (1 << 53)
		if p.DType == dtype.Float32 {
			u = (float64(draw32(ticket.Key, ticket.Sequence, i&^1)) + 0.5) / (1 << 32)
			turn = float64(draw32(ticket.Key, ticket.Sequence, i|1)) / (1 << 32)
		}
		radius := math.Sqrt(-2 * math.Log(u))
		sine, cosine := math.Sincos(2 * math.Pi * turn)
		out.values[i] = p.Mean + p.Deviation*radius*[]float64{cosine, sine}[i%2]
		out.scale = append(out.scale, math.Abs(p.Mean)+p.Deviation*radius)
	}
	return []array{out}
}

// referencePermutation is Fisher and Yates' shuffle with Lemire's unbiased numbers.
func referencePermutation(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(PermutationParams)
	out := made(dtype.Int64, []int{p.Count}, func(index []int) float64 { return float64(index[0]) })
	for i := p.Count - 1; i > 0; i-- {
		limit := uint64(i + 1)
		high, low := bits.Mul64(draw64(ticket.Key, ticket.Sequence, i, 0), limit)
		for draw := uint16(1); low < -limit%limit; draw++ {
			high, low = bits.Mul64(draw64(ticket.Key, ticket.Sequence, i, draw), limit)
		}
		out.values[i], out.values[high] = out.values[high], out.values[i]
	}
	return []array{out}
}

// referenceTriangle keeps the elements of matrices that belongs holds for.
func referenceTriangle(belongs func(row, column, diagonal int) bool) func([]array, any) []array {
	return func(in []array, params any) []array {
		return []array{made(in[0].dtype, in[0].shape, func(index []int) float64 {
			last := len(index) - 1
			if belongs(index[last-1], index[last], params.(TriangleParams).Diagonal) {
				return in[0].at(index...)
			}
			return 0
		})}
	}
}

var badTriangles = []Sample{{Shapes: [][]int{{3}}, Params: TriangleParams{}}, {Shapes: [][]int{{}}, Params: TriangleParams{}}}
