package fourier

import (
	"slices"
	"sync"

	"github.com/weft-nd/weft/dtype"
)

// Of a precision so many plans are kept, and so many numbers of theirs; the latest plan is kept whatever it has.
const (
	keptPlans   = 16
	keptNumbers = 1 << 20
)

// cache has the plans that were used last, the latest first.
type cache[T dtype.Float] struct {
	mutex sync.Mutex
	plans []*plan[T]
}

var (
	singlePlans cache[float32]
	doublePlans cache[float64]
)

// planOf returns the plan for lines of n numbers, at least one; of an even number that are real, that for half as many.
func planOf[T dtype.Float](n int, isReal bool) *plan[T] {
	if c, isSingle := any(&singlePlans).(*cache[T]); isSingle {
		return c.plan(n, isReal)
	}
	return any(&doublePlans).(*cache[T]).plan(n, isReal)
}

func (c *cache[T]) plan(n int, isReal bool) *plan[T] {
	isReal = isReal && n%2 == 0
	if p := c.find(n, isReal); p != nil {
		return p
	}
	var made *plan[T] // outside the lock: long ones take long
	if isReal {
		made = newRealPlan[T](n, longLine)
	} else {
		made = newPlan[T](n, longLine)
	}
	if p := c.find(n, isReal); p != nil {
		return p
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.plans = append([]*plan[T]{made}, c.plans[:min(len(c.plans), keptPlans-1)]...)
	numbers := made.numbers()
	for i, p := range c.plans[1:] {
		if numbers += p.numbers(); numbers > keptNumbers {
			c.plans = slices.Clone(c.plans[:1+i]) // lets go of the others
			break
		}
	}
	return made
}

// numbers is about how many numbers p holds.
func (p *plan[T]) numbers() int {
	n := len(p.roots)
	for _, pass := range p.passes {
		n += len(pass.roots) + len(pass.ofRows) + len(pass.turns)
	}
	if m := p.matrix; m != nil {
		n += 2*(len(m.coarse)+len(m.fine)) + m.ofColumn.numbers() + m.ofRow.numbers()
	}
	if c := p.chirp; c != nil {
		n += len(c.numbers) + len(c.conjugates) + len(c.response) + c.plan.numbers()
	}
	return n
}

// find returns the plan for n, and makes it the latest; nil if there is none.
func (c *cache[T]) find(n int, isReal bool) *plan[T] {
	if isReal {
		n /= 2
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for i, p := range c.plans {
		if p.length == n && (p.roots != nil) == isReal {
			copy(c.plans[1:i+1], c.plans[:i])
			c.plans[0] = p
			return p
		}
	}
	return nil
}
