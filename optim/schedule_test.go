package optim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/optim"
)

func TestSchedulesGiveTheRatesTheyPromise(t *testing.T) {
	for name, c := range map[string]struct {
		schedule optim.Schedule
		want     []float64 // from step 0 on
	}{
		"constant":   {optim.Constant(0.5), []float64{0.5, 0.5}},
		"step decay": {optim.StepDecay(8, 0.5, 2), []float64{8, 8, 4, 4, 2, 2}},
		"cosine":     {optim.Cosine(2, 0, 2), []float64{2, 1, 0, 0, 0}},
		"warm-up":    {optim.WarmUp(3, optim.StepDecay(4, 0.5, 1)), []float64{1, 2, 3, 4, 2, 1}},
		"no warm-up": {optim.WarmUp(0, optim.Constant(4)), []float64{4, 4}},
	} {
		for step, want := range c.want {
			require.InDelta(t, want, c.schedule(step), 1e-12, fmt.Sprint(name, step))
		}
	}
}
