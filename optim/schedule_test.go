package optim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/optim"
)

// TestSchedulesAreThoseOfPyTorch has what get_last_lr of the schedulers of torch 2.15, by the formulas of its documentation, returns
// before each step of an SGD of the rate 0.3. CosineAnnealingLR rises again behind its end, where Cosine stays.
func TestSchedulesAreThoseOfPyTorch(t *testing.T) {
	for scheduler, c := range map[string]struct {
		schedule optim.Schedule
		want     []float64
	}{
		"ConstantLR(factor=1)": {optim.Constant(0.3), []float64{0.3, 0.3, 0.3}},
		"StepLR(3, 0.1)": {optim.StepDecay(0.3, 0.1, 3), []float64{
			0.3, 0.3, 0.3, 0.03, 0.03, 0.03, 0.003, 0.003, 0.003, 0.00030000000000000003,
		}},
		"ExponentialLR(0.9)": {optim.StepDecay(0.3, 0.9, 1), []float64{
			0.3, 0.27, 0.24300000000000002, 0.21870000000000003, 0.19683000000000003, 0.17714700000000003, 0.15943230000000003, 0.14348907000000002,
		}},
		"CosineAnnealingLR(7, 0.01)": {optim.Cosine(0.3, 0.01, 7), []float64{
			0.3, 0.2856404858458507, 0.24540602126951633, 0.18726553542366556, 0.1227344645763344, 0.06459397873048363, 0.024359514154149234, 0.01,
		}},
		"LinearLR(1/5, 1, 4)": {optim.WarmUp(4, optim.Constant(0.3)), []float64{0.06, 0.12, 0.18, 0.24, 0.3, 0.3, 0.3}},
		"SequentialLR([LinearLR(1/5, 1, 4), CosineAnnealingLR(6, 0.01)], [4])": {optim.WarmUp(4, optim.Cosine(0.3, 0.01, 6)), []float64{
			0.06, 0.12, 0.18, 0.24, 0.3, 0.2805736835487436, 0.2275, 0.155, 0.08250000000000002, 0.029426316451256387, 0.01,
		}},
		"SequentialLR([LinearLR(1/3, 1, 2), StepLR(2, 0.5)], [2])": {optim.WarmUp(2, optim.StepDecay(0.3, 0.5, 2)), []float64{
			0.09999999999999999, 0.19999999999999998, 0.3, 0.3, 0.15, 0.15, 0.075, 0.075, 0.0375,
		}},
	} {
		for step, want := range c.want {
			require.InEpsilon(t, want, c.schedule(step), 1e-14, "%s, step %d", scheduler, step)
		}
	}
}

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
		"endless":    {optim.WarmUp(math.MaxInt, optim.Constant(0x1p63)), []float64{1, 2, 3}},
	} {
		for step, want := range c.want {
			require.InDelta(t, want, c.schedule(step), 1e-12, fmt.Sprint(name, step))
		}
	}
}
