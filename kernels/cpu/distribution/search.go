package distribution

// search finds the values of a distribution on 0, 1, 2, … by the cumulated probabilities, which it computes as far as they
// are needed. The probability of k is that of k−1 times (size − k·step)/k·odds; beyond the table there must be next to none.
type search struct {
	size, step, odds float64
	known            int
	probability      float64 // of known−1
	cumulated        [110]float64
}

// reset makes s the search of another distribution; zero is the probability of 0.
func (s *search) reset(zero, size, step, odds float64) {
	s.size, s.step, s.odds = size, step, odds
	s.known, s.probability, s.cumulated[0] = 1, zero, zero
}

// find returns the value at which the cumulated probability exceeds u in [0, 1). The rounding of the sums may leave none.
func (s *search) find(u float64) (k int64, found bool) {
	for k, cumulated := range s.cumulated[:s.known] {
		if u < cumulated {
			return int64(k), true
		}
	}
	for s.known < len(s.cumulated) {
		k := float64(s.known)
		s.probability = float64(s.probability * (s.size - float64(k*s.step)) / k * s.odds)
		s.cumulated[s.known] = s.cumulated[s.known-1] + s.probability
		s.known++
		if u < s.cumulated[s.known-1] {
			return int64(s.known - 1), true
		}
	}
	return 0, false
}
