package cpu

import "github.com/weft-nd/weft/dtype"

// recurrentLoops are what recurrent layers compute of count elements of the state of a sequence at one time, beside products and functions
// of calculus. The parts of gates, of ofGates and of slopes follow one another, each of count elements.
//
// The last ones go back by a time: from what is carried, the gradient of the state after it by way of the times behind, and what is of the
// results of the time, to the slopes, the gradients of the sums of gates. They leave in carried what goes to the state before past the
// weight.
type recurrentLoops[T dtype.Float] struct {
	// gruSums sets inner to sums, and sums to x + reset·inner. gruState sets h to candidate + update·(h − candidate).
	gruSums  func(sums, inner, x, reset *T, count int)
	gruState func(h, candidate, update *T, count int)
	// lstmCell sets cell to forget·cell + in·candidate, of which the gates are in, forget, candidate and out.
	lstmCell func(cell, gates *T, count int)

	// tanhSlopes is of states y = tanh(sums).
	tanhSlopes func(slopes, carried, y, ofState *T, count int)
	// gruSlopes is of gates reset, update and candidate, and of the sums that reset is a factor of, whose gradients are ofInner.
	gruSlopes func(slopes, ofInner, carried, gates, ofGates, before, ofState *T, count int)
	// lstmSlopes has cell carried too, and takes the state of cells before the time, and tanh of that after it, bent.
	lstmSlopes func(slopes, carried, cell, gates, ofGates, before, bent, ofHidden, ofCell *T, count int)
}

// portableRecurrentLoops returns the loops of recurrentLoops in Go. Conversions keep products from being fused with sums.
func portableRecurrentLoops[T dtype.Float]() recurrentLoops[T] {
	return recurrentLoops[T]{
		gruSums: func(sums, inner, x, reset *T, count int) {
			all, kept, fromX, resets := rowOf(sums, count), rowOf(inner, count), rowOf(x, count), rowOf(reset, count)
			for i, v := range all {
				kept[i] = v
				all[i] = fromX[i] + T(resets[i]*v)
			}
		},
		gruState: func(h, candidate, update *T, count int) {
			states, updates := rowOf(h, count), rowOf(update, count)
			for i, v := range rowOf(candidate, count) {
				states[i] = v + T(updates[i]*(states[i]-v))
			}
		},
		lstmCell: func(cell, gates *T, count int) {
			in, forget, candidate, _ := gateParts(gates, count)
			cells := rowOf(cell, count)
			for i, v := range cells {
				cells[i] = T(forget[i]*v) + T(in[i]*candidate[i])
			}
		},
		tanhSlopes: func(slopes, carried, y, ofState *T, count int) {
			to, states, up := rowOf(slopes, count), rowOf(y, count), rowOf(ofState, count)
			for i, h := range rowOf(carried, count) {
				to[i] = (up[i] + h) * slopeOfTanh(states[i])
			}
			clear(rowOf(carried, count))
		},
		gruSlopes:  gruSlopes[T],
		lstmSlopes: lstmSlopes[T],
	}
}

func gruSlopes[T dtype.Float](slopes, ofInner, carried, gates, ofGates, before, ofState *T, count int) {
	reset, update, candidate, inner := gateParts(gates, count)
	upReset, upUpdate, upCandidate, upInner := gateParts(ofGates, count)
	toReset, toUpdate, toCandidate := rowOf(slopes, 3*count)[:count], rowOf(slopes, 3*count)[count:2*count], rowOf(slopes, 3*count)[2*count:]
	toInner, h, first, up := rowOf(ofInner, count), rowOf(carried, count), rowOf(before, count), rowOf(ofState, count)
	for i := range count {
		state := up[i] + h[i]
		slope := (T(state*(1-update[i])) + upCandidate[i]) * slopeOfTanh(candidate[i])
		toCandidate[i] = slope
		toInner[i] = T(slope*reset[i]) + upInner[i]
		toReset[i] = timesSlopeOfSigmoid(T(slope*inner[i])+upReset[i], reset[i])
		toUpdate[i] = timesSlopeOfSigmoid(T(state*(first[i]-candidate[i]))+upUpdate[i], update[i])
		h[i] = state * update[i]
	}
}

func lstmSlopes[T dtype.Float](slopes, carried, cell, gates, ofGates, before, bent, ofHidden, ofCell *T, count int) {
	in, forget, candidate, out := gateParts(gates, count)
	upIn, upForget, upCandidate, upOut := gateParts(ofGates, count)
	toIn, toForget, toCandidate, toOut := gateParts(slopes, count)
	h, c, first, bend := rowOf(carried, count), rowOf(cell, count), rowOf(before, count), rowOf(bent, count)
	upHidden, upCell := rowOf(ofHidden, count), rowOf(ofCell, count)
	for i := range count {
		hidden := upHidden[i] + h[i]
		ofCells := c[i] + upCell[i] + T(hidden*out[i]*slopeOfTanh(bend[i]))
		toIn[i] = timesSlopeOfSigmoid(T(ofCells*candidate[i])+upIn[i], in[i])
		toForget[i] = timesSlopeOfSigmoid(T(ofCells*first[i])+upForget[i], forget[i])
		toCandidate[i] = (T(ofCells*in[i]) + upCandidate[i]) * slopeOfTanh(candidate[i])
		toOut[i] = timesSlopeOfSigmoid(T(hidden*bend[i])+upOut[i], out[i])
		c[i], h[i] = ofCells*forget[i], 0
	}
}

// gateParts returns the four parts of gates.
func gateParts[T dtype.Float](gates *T, count int) (first, second, third, fourth []T) {
	all := rowOf(gates, 4*count)
	return all[:count], all[count:][:count], all[2*count:][:count], all[3*count:][:count]
}

// slopeOfTanh returns the derivative of tanh where that is y.
func slopeOfTanh[T dtype.Float](y T) T { return 1 - T(y*y) }

// timesSlopeOfSigmoid returns u times the derivative of the sigmoid function where that is y.
func timesSlopeOfSigmoid[T dtype.Float](u, y T) T { return u * y * (1 - y) }
