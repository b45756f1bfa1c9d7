package fourier

import (
	"sync"

	"github.com/weft-nd/weft/dtype"
)

// keptPlans is how many plans of a precision are kept.
const keptPlans = 16

// cache has the plans that were used last, the latest first.
type cache[T dtype.Float] struct {
	mutex sync.Mutex
	plans []*Plan[T]
}

var (
	singlePlans cache[float32]
	doublePlans cache[float64]
)

// planOf returns the plan for lines of n numbers, at least one; of an even number that are real, that for half as many.
func planOf[T dtype.Float](n int, isReal bool) *Plan[T] {
	if c, isSingle := any(&singlePlans).(*cache[T]); isSingle {
		return c.plan(n, isReal)
	}
	return any(&doublePlans).(*cache[T]).plan(n, isReal)
}

func (c *cache[T]) plan(n int, isReal bool) *Plan[T] {
	isReal = isReal && n%2 == 0
	if p := c.find(n, isReal); p != nil {
		return p
	}
	var made *Plan[T] // outside the lock: long ones take long
	if isReal {
		made = newRealPlan[T](n, Longest)
	} else {
		made = newPlan[T](n, Longest)
	}
	if p := c.find(n, isReal); p != nil {
		return p
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.plans = append([]*Plan[T]{made}, c.plans[:min(len(c.plans), keptPlans-1)]...)
	return made
}

// find returns the plan for n, and makes it the latest; nil if there is none.
func (c *cache[T]) find(n int, isReal bool) *Plan[T] {
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
