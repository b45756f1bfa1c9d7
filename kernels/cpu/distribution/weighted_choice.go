package distribution

import (
	"cmp"
	"math"
	"slices"

	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// arrival is a category and the time of its first event.
type arrival struct {
	time     float64
	category int64
}

func (a arrival) compare(b arrival) int {
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.category, b.category))
}

// WeightedChoice picks different categories by their weights: in the order of the first events of Poisson processes
// whose rates are the weights (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", Information
// Processing Letters 97(5), 2006). It has memory for one call after the other.
type WeightedChoice struct {
	first []arrival
	count int
}

// NewWeightedChoice returns what picks so many among so many categories.
func NewWeightedChoice(categories, count int) *WeightedChoice {
	return &WeightedChoice{make([]arrival, 0, min(categories, 2*count+64)), count}
}

// Choose fills chosen with categories, of which at least as many have positive weights. Category i has the 64-bit value of element+i.
func (w *WeightedChoice) Choose(chosen []int64, s Source, element int, weights []float64) {
	for i, next := range s.arrivals(w.first[:0], w.count, weights, element) {
		chosen[i] = next.category
	}
}

// arrivals returns the earliest count first events of the categories with positive weights, in order. It uses dst, which has
// room for all or some more than count; element is the number of the first category's element.
func (s Source) arrivals(dst []arrival, count int, weights []float64, element int) []arrival {
	var values [BlockSize + 1]uint64
	latest := math.Inf(1)
	for at := 0; at < len(weights); at += BlockSize {
		length, odd := min(BlockSize, len(weights)-at), (element+at)%2
		s.wide(values[:length+odd], uint64(element+at-odd), 0)
		for i, weight := range weights[at : at+length] {
			value := values[i+odd]
			if weight == 0 || float64(0.999*elementary.Unit(^value)) > float64(latest*weight) { // -log u is above 1 - u
				continue
			}
			next := arrival{-elementary.LogUnit(value) / weight, int64(at + i)}
			if next.time > latest {
				continue
			}
			if len(dst) == cap(dst) {
				slices.SortFunc(dst, arrival.compare)
				dst, latest = dst[:count], dst[count-1].time
			}
			dst = append(dst, next)
		}
	}
	slices.SortFunc(dst, arrival.compare)
	return dst[:count]
}
