package convolution

import (
	"sync/atomic"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// target is what is computed from the other two.
type target int

const (
	toResult target = iota
	toData
	toWeights
)

// planned is all that a plan follows from: how a convolution is cut, and what else takes longer to find out than a small one to compute.
type planned struct {
	Shape
	target
	workers int
	grain   int // rows that are in the same band; 0 if what is computed is written
	abreast bool
	level   features.Level
}

// known is a plan that was made.
type known struct {
	of   planned
	plan any
}

// plans are those made lately, by their hash: a program has few shapes, which come again and again.
var plans [256]atomic.Pointer[known]

// hash is quick to find: package maphash takes longer than a small convolution can spare.
func (p *planned) hash() uint8 {
	last, before, hash := &p.Axes[2], &p.Axes[1], uint64(0)
	for _, n := range [...]int{
		p.Batch, p.Groups, p.Channels, p.Filters, last.Data, last.Kernel, last.Stride, last.Before, before.Data, before.Kernel, int(p.target), p.workers,
	} {
		hash = (hash ^ uint64(n)) * 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	}
	return uint8(hash >> 56)
}

// recalled returns the plan for what is given, which make makes if it is not among those known. It is not to be changed: calls change a
// copy.
func recalled[P any](of planned, make func() *P) *P {
	of.level = features.Best
	place := &plans[of.hash()]
	if k := place.Load(); k != nil && k.of == of {
		if plan, found := k.plan.(*P); found {
			return plan
		}
	}
	plan := make()
	place.Store(&known{of, plan})
	return plan
}
