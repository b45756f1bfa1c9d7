package einsum

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Step contracts two operands of those that are left: both are removed, and what they make is put at the end.
type Step struct{ Left, Right int }

// optimalOperands is for how many operands at most all orders are tried.
const optimalOperands = 5

// Path returns the order in which pairs of operands are contracted, one step less than there are operands: the cheapest
// one for up to five operands, otherwise one that contracts, again and again, the pair that leaves memory smallest, and
// of such the cheapest. The cost of a step is the number of products it sums. Daniel and Gray, "opt_einsum", Journal of
// Open Source Software 3(26), 2018.
func (b *Bound) Path() []Step {
	switch n := len(b.Operands); {
	case n < 2:
		return nil
	case n == 2:
		return []Step{{0, 1}}
	case n <= optimalOperands:
		return b.optimal()
	}
	return b.greedy()
}

// Cost returns the number of products that the steps sum.
func (b *Bound) Cost(path []Step) (total float64) {
	operands := slices.Clone(b.Operands)
	for _, s := range path {
		cost, result := b.step(operands, s)
		total += cost
		operands = append(without(operands, s), result)
	}
	return total
}

// step returns the cost of a step, and the labels of what it makes of operands.
func (b *Bound) step(operands [][]Label, s Step) (cost float64, result []Label) {
	joint := union(operands[s.Left], operands[s.Right])
	kept := b.Result
	for i, labels := range operands {
		if i != s.Left && i != s.Right {
			kept = union(kept, labels)
		}
	}
	return b.size(joint), intersection(joint, kept)
}

// size returns the number of elements of an array with the given labels.
func (b *Bound) size(labels []Label) float64 {
	size := 1.0
	for _, label := range labels {
		size *= float64(b.Sizes[label])
	}
	return size
}

func union(a, b []Label) []Label {
	joint := slices.Clone(a)
	for _, label := range b {
		if !slices.Contains(joint, label) {
			joint = append(joint, label)
		}
	}
	return joint
}

func intersection(a, b []Label) []Label {
	return slices.DeleteFunc(slices.Clone(a), func(label Label) bool { return !slices.Contains(b, label) })
}

// without returns operands without the two of a step.
func without(operands [][]Label, s Step) (rest [][]Label) {
	for i, labels := range operands {
		if i != s.Left && i != s.Right {
			rest = append(rest, labels)
		}
	}
	return rest
}

func (b *Bound) greedy() (path []Step) {
	operands := slices.Clone(b.Operands)
	for len(operands) > 1 {
		var best Step
		var bestGrowth, bestCost float64
		var made []Label
		for right := range operands {
			for left := range right {
				s := Step{left, right}
				cost, result := b.step(operands, s)
				growth := b.size(result) - b.size(operands[left]) - b.size(operands[right])
				if made == nil || growth < bestGrowth || growth == bestGrowth && cost < bestCost {
					best, bestGrowth, bestCost, made = s, growth, cost, append([]Label{}, result...)
				}
			}
		}
		path, operands = append(path, best), append(without(operands, best), made)
	}
	return path
}

// plan is the cheapest way to contract a set of operands: from two sets, whose union it is.
type plan struct {
	cost        float64
	labels      []Label
	left, right uint
}

// optimal finds the cheapest way for every set of operands, from those for its parts; sets are bits.
func (b *Bound) optimal() []Step {
	n := len(b.Operands)
	all := uint(1)<<n - 1
	plans := make([]plan, all+1)
	for set := uint(1); set <= all; set++ {
		if bits.OnesCount(set) == 1 {
			plans[set] = plan{labels: b.Operands[bits.TrailingZeros(set)]}
			continue
		}
		kept := b.Result
		for i, labels := range b.Operands {
			if set>>i&1 == 0 {
				kept = union(kept, labels)
			}
		}
		for right := (set - 1) & set; right > set&^right; right = (right - 1) & set {
			left := set &^ right
			joint := union(plans[left].labels, plans[right].labels)
			cost := plans[left].cost + plans[right].cost + b.size(joint)
			if best := &plans[set]; best.labels == nil || cost < best.cost {
				*best = plan{cost, append([]Label{}, intersection(joint, kept)...), left, right}
			}
		}
	}
	left := make([]uint, n)
	for i := range left {
		left[i] = 1 << i
	}
	return stepsOf(plans, all, &left, nil)
}

// stepsOf appends the steps that make set of operands; left are the sets that are there.
func stepsOf(plans []plan, set uint, left *[]uint, steps []Step) []Step {
	p := plans[set]
	if p.left == 0 {
		return steps
	}
	steps = stepsOf(plans, p.left, left, steps)
	steps = stepsOf(plans, p.right, left, steps)
	one, other := slices.Index(*left, p.left), slices.Index(*left, p.right)
	s := Step{min(one, other), max(one, other)}
	*left = append(slices.DeleteFunc(*left, func(there uint) bool { return there == p.left || there == p.right }), set)
	return append(steps, s)
}

// Describe returns the steps of a path as people read them, a line for each.
func (b *Bound) Describe(path []Step) string {
	var text strings.Builder
	operands := slices.Clone(b.Operands)
	for _, s := range path {
		cost, result := b.step(operands, s)
		fmt.Fprintf(&text, "%s,%s->%s: %g products\n", letters(operands[s.Left]), letters(operands[s.Right]), letters(result), cost)
		operands = append(without(operands, s), result)
	}
	return text.String()
}

func letters(labels []Label) string {
	text := ""
	for _, label := range labels {
		text += label.String()
	}
	return text
}
