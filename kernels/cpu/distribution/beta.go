package distribution

import "github.com/weft-nd/weft/kernels/cpu/internal/elementary"

// betaSecond is the draw from which on the second gamma number of a beta number is.
const betaSecond = 1 << 15

// Beta has the parameters alpha and beta: it is g/(g+h) with gamma numbers g of concentration alpha, from draw 0 on, and h of
// concentration beta, from draw betaSecond on. Where one of the concentrations is below 1 it is 1/(1 + exp(log h − log g)).
var Beta = following(beta)

func beta(b *lawBuffers, x []float64, s Source, first uint64, parameters []float64) {
	g, h := newGammaLaw(parameters[0]), newGammaLaw(parameters[1])
	y, gPowers, hPowers := b.x[:len(x)], b.power[:len(x)], b.powers[:len(x)]
	g.fill(b, x, gPowers, s, first, 0)
	h.fill(b, y, hPowers, s, first, betaSecond)
	if !g.boosted() && !h.boosted() {
		for i, v := range x {
			x[i] = 1 / (1 + y[i]/v)
		}
		return
	}
	// Powers over concentrations may overflow together; their difference over the smaller concentration is a number.
	least := min(g.concentration, h.concentration)
	gPart, hPart := least/g.concentration, least/h.concentration
	for i, v := range x {
		difference := (float64(hPowers[i]*hPart)-float64(gPowers[i]*gPart))/least + (elementary.Log(y[i]) - elementary.Log(v))
		x[i] = logisticOf(-difference)
	}
}

// logisticOf returns 1/(1 + exp(−x)).
func logisticOf(x float64) float64 {
	if x < 0 {
		e := elementary.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + elementary.Exp(-x))
}
