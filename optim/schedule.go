package optim

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/fault"
)

// Schedule gives the learning rate of a step; the first step is 0. It must be finite and at least 0. A schedule that looks at
// the step alone goes on where it was when an optimiser's state is loaded.
type Schedule func(step int) float64

// StepDecay is rate times factor to the power of the number of whole intervals that are over: a rate that is multiplied by factor
// every so many steps. It panics with *nd.Error if a number is out of range: the interval is at least 1, the others finite and at
// least 0.
func StepDecay(rate, factor float64, every int) Schedule {
	checkSchedule("StepDecay", every, 1, rate, factor)
	return func(step int) float64 { return rate * math.Pow(factor, float64(step/every)) }
}

// Cosine falls from rate to least along half a period of the cosine, in so many steps, and stays there (Loshchilov and Hutter,
// "SGDR", 2017, without restarts). It panics with *nd.Error if a number is out of range: there is at least 1 step, and rates are
// finite and at least 0.
func Cosine(rate, least float64, steps int) Schedule {
	checkSchedule("Cosine", steps, 1, rate, least)
	return func(step int) float64 {
		part := float64(min(step, steps)) / float64(steps)
		return least + float64((rate-least)*(1+math.Cos(math.Pi*part))/2) // The conversion keeps processors from fusing both.
	}
}

// WarmUp rises in so many steps to where the schedule that follows begins: step i has the part (i+1)/(steps+1) of its first rate.
// The following schedule then counts from 0. It panics with *nd.Error if steps is negative or next is nil.
func WarmUp(steps int, next Schedule) Schedule {
	if next == nil {
		fail(1, fault.ErrMisuse, "WarmUp", "the schedule that follows is nil")
	}
	checkSchedule("WarmUp", steps, 0)
	return func(step int) float64 {
		if step < steps {
			return next(0) * (float64(step) + 1) / (float64(steps) + 1)
		}
		return next(step - steps)
	}
}

// Constant is the same rate always. It panics with *nd.Error if that is not finite and at least 0.
func Constant(rate float64) Schedule {
	checkSchedule("Constant", 1, 1, rate)
	return func(int) float64 { return rate }
}

// checkSchedule fails in the line that called the constructor.
func checkSchedule(constructor string, steps, least int, numbers ...float64) {
	if steps < least {
		fail(2, fault.ErrParameter, constructor, fmt.Sprintf("%d steps (legal: at least %d)", steps, least))
	}
	for _, number := range numbers {
		if problem := checkNumber("a number", number); problem != "" {
			fail(2, fault.ErrParameter, constructor, problem)
		}
	}
}
