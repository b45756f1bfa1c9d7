package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What recurrent layers compute of a time of a sequence. Parts of gates, and of their slopes, follow one another, each of count elements.

var rowRecurrent = []rowLoop{
	{name: "tanhSlopes", parameters: "slopes, carried, y, ofState *E, count int", doc: "goes back by a time of an RNN", write: func(r row) {
		one := r.asm.spread(r.asm.number(1))
		r.steps([]string{"slopes", "carried", "y", "ofState"}, func(s rowStep) {
			for i := range s.vectors() {
				state := r.asm.add(s.loadAt("ofState", i), s.loadAt("carried", i))
				s.storeAt(r.asm.multiply(state, r.slopeOfTanh(one, s.loadAt("y", i))), "slopes", i)
				s.storeAt(r.asm.xor(one, one), "carried", i)
			}
		})
		r.end()
	}},
	{name: "gruSums", parameters: "sums, inner, x, reset *E, count int", doc: "sets inner to sums, and sums to x + reset inner", write: func(r row) {
		r.steps([]string{"sums", "inner", "x", "reset"}, func(s rowStep) {
			for i := range s.vectors() {
				inner := s.loadAt("sums", i)
				s.storeAt(inner, "inner", i)
				s.storeAt(r.asm.add(s.loadAt("x", i), r.asm.multiply(s.loadAt("reset", i), inner)), "sums", i)
			}
		})
		r.end()
	}},
	{name: "gruState", parameters: "h, candidate, update *E, count int", doc: "sets h to candidate + update (h - candidate)", write: func(r row) {
		r.steps([]string{"h", "candidate", "update"}, func(s rowStep) {
			for i := range s.vectors() {
				candidate := s.loadAt("candidate", i)
				change := r.asm.multiply(s.loadAt("update", i), r.asm.subtract(s.loadAt("h", i), candidate))
				s.storeAt(r.asm.add(candidate, change), "h", i)
			}
		})
		r.end()
	}},
	{name: "gruSlopes", parameters: "slopes, ofInner, carried, gates, ofGates, before, ofState *E, count int", doc: "goes back by a time of a GRU", write: func(r row) {
		one, parts := r.asm.spread(r.asm.number(1)), r.parts()
		r.steps([]string{"slopes", "ofInner", "carried", "gates", "ofGates", "before", "ofState"}, func(s rowStep) {
			for i := range s.vectors() {
				part := func(name string, number int) vector { return s.inRow(parts[number]).loadAt(name, i) }
				state := r.asm.add(s.loadAt("ofState", i), s.loadAt("carried", i))
				update, candidate := part("gates", 1), part("gates", 2)
				slope := r.asm.add(r.asm.multiply(state, r.asm.subtract(one, update)), part("ofGates", 2))
				slope = r.asm.multiply(slope, r.slopeOfTanh(one, candidate))
				s.inRow(parts[2]).storeAt(slope, "slopes", i)
				reset := part("gates", 0)
				s.storeAt(r.asm.add(r.asm.multiply(slope, reset), part("ofGates", 3)), "ofInner", i)
				ofReset := r.asm.add(r.asm.multiply(slope, part("gates", 3)), part("ofGates", 0))
				s.storeAt(r.timesSlopeOfSigmoid(ofReset, one, reset), "slopes", i)
				ofUpdate := r.asm.multiply(state, r.asm.subtract(s.loadAt("before", i), candidate))
				ofUpdate = r.asm.add(ofUpdate, part("ofGates", 1))
				s.inRow(parts[1]).storeAt(r.timesSlopeOfSigmoid(ofUpdate, one, update), "slopes", i)
				s.storeAt(r.asm.multiply(state, update), "carried", i)
			}
		})
		r.end()
	}},
	{name: "lstmCell", parameters: "cell, gates *E, count int", doc: "sets the state of cells to that after a time of an LSTM", write: func(r row) {
		parts := r.parts()
		r.steps([]string{"cell", "gates"}, func(s rowStep) {
			for i := range s.vectors() {
				part := func(number int) vector { return s.inRow(parts[number]).loadAt("gates", i) }
				kept := r.asm.multiply(part(1), s.loadAt("cell", i))
				s.storeAt(r.asm.add(kept, r.asm.multiply(part(0), part(2))), "cell", i)
			}
		})
		r.end()
	}},
	{name: "lstmSlopes", parameters: "slopes, carried, cell, gates, ofGates, before, bent, ofHidden, ofCell *E, count int", doc: "goes back by a time of an LSTM", write: func(r row) {
		one, parts := r.asm.spread(r.asm.number(1)), r.parts()
		r.steps([]string{"slopes", "carried", "cell", "gates", "ofGates", "before", "bent", "ofHidden", "ofCell"}, func(s rowStep) {
			for i := range s.vectors() {
				part := func(name string, number int) vector { return s.inRow(parts[number]).loadAt(name, i) }
				hidden := r.asm.add(s.loadAt("ofHidden", i), s.loadAt("carried", i))
				out, bent := part("gates", 3), s.loadAt("bent", i)
				cell := r.asm.add(s.loadAt("cell", i), s.loadAt("ofCell", i))
				cell = r.asm.add(cell, r.asm.multiply(r.asm.multiply(hidden, out), r.slopeOfTanh(one, bent)))
				ofOut := r.asm.add(r.asm.multiply(hidden, bent), part("ofGates", 3))
				s.inRow(parts[3]).storeAt(r.timesSlopeOfSigmoid(ofOut, one, out), "slopes", i)
				in, candidate := part("gates", 0), part("gates", 2)
				ofIn := r.asm.add(r.asm.multiply(cell, candidate), part("ofGates", 0))
				s.storeAt(r.timesSlopeOfSigmoid(ofIn, one, in), "slopes", i)
				ofCandidate := r.asm.add(r.asm.multiply(cell, in), part("ofGates", 2))
				s.inRow(parts[2]).storeAt(r.asm.multiply(ofCandidate, r.slopeOfTanh(one, candidate)), "slopes", i)
				forget := part("gates", 1)
				ofForget := r.asm.add(r.asm.multiply(cell, s.loadAt("before", i)), part("ofGates", 1))
				s.inRow(parts[1]).storeAt(r.timesSlopeOfSigmoid(ofForget, one, forget), "slopes", i)
				s.storeAt(r.asm.multiply(cell, forget), "cell", i)
				s.storeAt(r.asm.xor(one, one), "carried", i)
			}
		})
		r.end()
	}},
}

// parts returns how many bytes the four parts of gates are behind the first, nil for that itself.
func (r row) parts() [4]reg.Register {
	first := r.asm.Load(r.asm.Param("count"), r.asm.GP64())
	shift := operand.U8(2)
	if r.asm.double {
		shift = 3
	}
	r.asm.SHLQ(shift, first)
	second, third := r.asm.GP64(), r.asm.GP64()
	r.asm.LEAQ(operand.Mem{Base: first, Index: first, Scale: 1}, second)
	r.asm.LEAQ(operand.Mem{Base: first, Index: first, Scale: 2}, third)
	return [4]reg.Register{nil, first, second, third}
}

// slopeOfTanh returns the derivative of tanh where that is y.
func (r row) slopeOfTanh(one, y vector) vector { return r.asm.subtract(one, r.asm.multiply(y, y)) }

// timesSlopeOfSigmoid returns u times the derivative of the sigmoid function where that is y.
func (r row) timesSlopeOfSigmoid(u, one, y vector) vector {
	return r.asm.multiply(r.asm.multiply(u, y), r.asm.subtract(one, y))
}
