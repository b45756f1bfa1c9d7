package ops

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// steps returns the times of a sequence in the order in which they are gone through.
func steps(length int, reverse bool) []int {
	all := []int{}
	for i := range length {
		if reverse {
			i = length - 1 - i
		}
		all = append(all, i)
	}
	return all
}

// inLargest lets errors be counted in units of the largest element, one at least, of all results.
func inLargest(results ...array) []array {
	largest := 1.0
	for _, a := range results {
		for _, v := range a.values {
			largest = max(largest, math.Abs(v))
		}
	}
	for i, a := range results {
		results[i].scale = make([]float64, len(a.values))
		for j := range a.values {
			results[i].scale[j] = largest
		}
	}
	return results
}

// times returns the product of row i of the weight, (rows, hidden), with a vector.
func (a array) times(i int, h []float64) float64 {
	sum := 0.0
	for j, v := range h {
		sum += a.values[i*len(h)+j] * v
	}
	return sum
}

// row returns the elements along the last axis with the given indices of the others.
func (a array) row(index ...int) []float64 {
	last := a.shape[len(a.shape)-1]
	return a.values[a.number(append(index, 0)):][:last]
}

func sigmoidOf(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// referenceLSTM computes the first so many results.
func referenceLSTM(results int) func(in []array, params any) []array {
	return func(in []array, params any) []array {
		x, weight, h, c, lengths := in[0], in[1], in[2], in[3], in[4].values
		n, times, d := weight.shape[1], x.shape[1], x.dtype
		y, gates, cells := newArray(d, []int{x.shape[0], times, n}), newArray(d, x.shape), newArray(d, []int{x.shape[0], times, n})
		lastH, lastC := newArray(d, h.shape), newArray(d, h.shape)
		if n > 0 {
			for b := range x.shape[0] {
				hidden, cell := append([]float64{}, h.row(b)...), append([]float64{}, c.row(b)...)
				for _, t := range steps(int(lengths[b]), params.(RecurrentParams).Reverse) {
					for i := range 4 * n {
						gates.row(b, t)[i] = sigmoidOf(x.row(b, t)[i] + weight.times(i, hidden))
						if i/n == 2 {
							gates.row(b, t)[i] = math.Tanh(x.row(b, t)[i] + weight.times(i, hidden))
						}
					}
					g := gates.row(b, t)
					for i := range n {
						cell[i] = g[n+i]*cell[i] + g[i]*g[2*n+i]
						hidden[i] = g[3*n+i] * math.Tanh(cell[i])
					}
					copy(cells.row(b, t), cell)
					copy(y.row(b, t), hidden)
				}
				copy(lastH.row(b), hidden)
				copy(lastC.row(b), cell)
			}
		}
		return inLargest(y, lastH, lastC, gates, cells)[:results]
	}
}

func referenceLSTMGradient(in []array, params any) []array {
	weight, h, c, lengths, y, gates, cells := in[0], in[1], in[2], in[3].values, in[4], in[5], in[6]
	ofY, ofH, ofC, ofGates, ofCells := in[7], in[8], in[9], in[10], in[11]
	n, d := weight.shape[1], weight.dtype
	dx, dw, dh, dc := newArray(d, gates.shape), newArray(d, weight.shape), newArray(d, h.shape), newArray(d, c.shape)
	for b := range h.shape[0] {
		if n == 0 {
			break
		}
		copy(dh.row(b), ofH.row(b))
		copy(dc.row(b), ofC.row(b))
		order := steps(int(lengths[b]), params.(RecurrentParams).Reverse)
		for k := len(order) - 1; k >= 0; k-- {
			t, hidden, cell := order[k], h.row(b), c.row(b)
			if k > 0 {
				hidden, cell = y.row(b, order[k-1]), cells.row(b, order[k-1])
			}
			slopes := dx.row(b, t)
			g, up := gates.row(b, t), ofGates.row(b, t)
			for i := range n {
				in, forget, candidate, out := g[i], g[n+i], g[2*n+i], g[3*n+i]
				bent, ofHidden := math.Tanh(cells.row(b, t)[i]), ofY.row(b, t)[i]+dh.row(b)[i]
				ofCell := dc.row(b)[i] + ofCells.row(b, t)[i] + ofHidden*out*(1-bent*bent)
				slopes[i] = (ofCell*candidate + up[i]) * in * (1 - in)
				slopes[n+i] = (ofCell*cell[i] + up[n+i]) * forget * (1 - forget)
				slopes[2*n+i] = (ofCell*in + up[2*n+i]) * (1 - candidate*candidate)
				slopes[3*n+i] = (ofHidden*bent + up[3*n+i]) * out * (1 - out)
				dc.row(b)[i], dh.row(b)[i] = ofCell*forget, 0
			}
			through(weight, slopes, hidden, dw, dh.row(b))
		}
	}
	return inLargest(dx, dw, dh, dc)
}

// through adds the gradients of the sums weight·hidden to those of the weight and of hidden.
func through(weight array, slopes, hidden []float64, ofWeight array, ofHidden []float64) {
	for i, slope := range slopes {
		for j, v := range hidden {
			ofWeight.values[i*len(hidden)+j] += slope * v
			ofHidden[j] += slope * weight.values[i*len(hidden)+j]
		}
	}
}

// referenceGRU computes the first so many results.
func referenceGRU(results int) func(in []array, params any) []array {
	return func(in []array, params any) []array {
		x, weight, bias, h, lengths := in[0], in[1], in[2].values, in[3], in[4].values
		n, times, d := weight.shape[1], x.shape[1], x.dtype
		y, last, gates := newArray(d, []int{x.shape[0], times, n}), newArray(d, h.shape), newArray(d, []int{x.shape[0], times, 4 * n})
		for b := range x.shape[0] {
			if n == 0 {
				break
			}
			state := append([]float64{}, h.row(b)...)
			for _, t := range steps(int(lengths[b]), params.(RecurrentParams).Reverse) {
				next := make([]float64, n)
				for i := range n {
					sum := func(part int) float64 { return weight.times(part*n+i, state) + bias[part*n+i] }
					reset, update, inner := sigmoidOf(x.row(b, t)[i]+sum(0)), sigmoidOf(x.row(b, t)[n+i]+sum(1)), sum(2)
					candidate := math.Tanh(x.row(b, t)[2*n+i] + reset*inner)
					next[i] = (1-update)*candidate + update*state[i]
					g := gates.row(b, t)
					g[i], g[n+i], g[2*n+i], g[3*n+i] = reset, update, candidate, inner
				}
				state = next
				copy(y.row(b, t), state)
			}
			copy(last.row(b), state)
		}
		return inLargest(y, last, gates)[:results]
	}
}

func referenceGRUGradient(in []array, params any) []array {
	weight, h, lengths, y, gates, ofY, ofH, ofGates := in[0], in[1], in[2].values, in[3], in[4], in[5], in[6], in[7]
	n, d := weight.shape[1], weight.dtype
	dx, dw := newArray(d, []int{y.shape[0], y.shape[1], 3 * n}), newArray(d, weight.shape)
	db, dh := newArray(d, weight.shape[:1]), newArray(d, h.shape)
	for b := range h.shape[0] {
		if n == 0 {
			break
		}
		copy(dh.row(b), ofH.row(b))
		order := steps(int(lengths[b]), params.(RecurrentParams).Reverse)
		for k := len(order) - 1; k >= 0; k-- {
			t, before := order[k], h.row(b)
			if k > 0 {
				before = y.row(b, order[k-1])
			}
			slopes, ofSums := dx.row(b, t), make([]float64, 3*n)
			g, up := gates.row(b, t), ofGates.row(b, t)
			for i := range n {
				reset, update, candidate, inner := g[i], g[n+i], g[2*n+i], g[3*n+i]
				state := ofY.row(b, t)[i] + dh.row(b)[i]
				slopes[2*n+i] = (state*(1-update) + up[2*n+i]) * (1 - candidate*candidate)
				slopes[i] = (slopes[2*n+i]*inner + up[i]) * reset * (1 - reset)
				slopes[n+i] = (state*(before[i]-candidate) + up[n+i]) * update * (1 - update)
				ofSums[i], ofSums[n+i], ofSums[2*n+i] = slopes[i], slopes[n+i], slopes[2*n+i]*reset+up[3*n+i]
				dh.row(b)[i] = state * update
			}
			for i, v := range ofSums {
				db.values[i] += v
			}
			through(weight, ofSums, before, dw, dh.row(b))
		}
	}
	return inLargest(dx, dw, db, dh)
}

func referenceRNN(in []array, params any) []array {
	x, weight, h, lengths, p := in[0], in[1], in[2], in[3].values, params.(RNNParams)
	y, last := newArray(x.dtype, x.shape), newArray(x.dtype, h.shape)
	for b := range x.shape[0] {
		if x.shape[2] == 0 {
			break
		}
		state := h.row(b)
		for _, t := range steps(int(lengths[b]), p.Reverse) {
			for i, v := range x.row(b, t) {
				sum := v + weight.times(i, state)
				y.row(b, t)[i] = math.Tanh(sum)
				if p.Rectified {
					y.row(b, t)[i] = max(sum, 0)
				}
			}
			state = y.row(b, t)
		}
		copy(last.row(b), state)
	}
	return inLargest(y, last)
}

func referenceRNNGradient(in []array, params any) []array {
	weight, h, lengths, y, ofY, ofH, p := in[0], in[1], in[2].values, in[3], in[4], in[5], params.(RNNParams)
	dx, dw, dh := newArray(y.dtype, y.shape), newArray(y.dtype, weight.shape), newArray(y.dtype, h.shape)
	for b := range h.shape[0] {
		if y.shape[2] == 0 {
			break
		}
		copy(dh.row(b), ofH.row(b))
		order := steps(int(lengths[b]), p.Reverse)
		for k := len(order) - 1; k >= 0; k-- {
			t, before := order[k], h.row(b)
			if k > 0 {
				before = y.row(b, order[k-1])
			}
			for i, state := range y.row(b, t) {
				slope := ofY.row(b, t)[i] + dh.row(b)[i]
				switch {
				case !p.Rectified:
					slope *= 1 - state*state
				case state <= 0:
					slope = 0
				}
				dx.row(b, t)[i], dh.row(b)[i] = slope, 0
			}
			through(weight, dx.row(b, t), before, dw, dh.row(b))
		}
	}
	return inLargest(dx, dw, dh)
}

// recurrentRow is the row of an operator whose given operand is the lengths, that of y or x the given one.
func recurrentRow(reference func(in []array, params any) []array, lengths, sequences int, bad []Sample) row {
	return row{
		reference: reference, ulps: 64, low: -0.9, high: 0.9, fixed: map[int]dtype.DType{lengths: dtype.Int64},
		indices: func(s Sample) (int, int) { return 0, s.Shapes[sequences][1] + 1 }, bad: bad,
	}
}

// badRecurrent returns calls each of which has one operand of another shape than the sample.
func badRecurrent(s Sample) (bad []Sample) {
	for i := range s.Shapes {
		shapes := append([][]int{}, s.Shapes...)
		shapes[i] = append([]int{7}, shapes[i]...)
		bad = append(bad, Sample{shapes, s.Params})
		shapes = append([][]int{}, s.Shapes...)
		shapes[i] = append([]int{}, shapes[i]...)
		shapes[i][len(shapes[i])-1]++
		bad = append(bad, Sample{shapes, s.Params})
	}
	return bad
}
