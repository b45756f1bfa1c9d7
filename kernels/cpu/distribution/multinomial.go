package distribution

// Multinomial deals trials to categories. What a category gets is a binomial number of the trials that those before it
// left, with its share of the weights from it on, made of the draws of its element. It has memory for one call after
// the other.
type Multinomial struct {
	shares []float64
	n      numbers
	b      *binomial
}

// NewMultinomial returns what deals to so many categories, once it has their weights.
func NewMultinomial(s Source, categories int) *Multinomial {
	return &Multinomial{make([]float64, categories), numbers{Source: s}, newBinomial()}
}

// SetWeights makes the shares of the categories those of weights.
func (m *Multinomial) SetWeights(weights []float64) {
	sum := 0.0
	for i := len(weights) - 1; i >= 0; i-- {
		m.shares[i] = 0
		if sum += weights[i]; sum > 0 {
			m.shares[i] = weights[i] / sum
		}
	}
}

// Deal fills dst with the trials of each category; first is the number of the first element.
func (m *Multinomial) Deal(dst []int64, first uint64, trials int64) {
	for i, share := range m.shares {
		if dst[i] = 0; trials > 0 && share > 0 {
			m.n.begin(first + uint64(i))
			m.b.set(trials, share)
			dst[i] = m.b.draw(&m.n)
			trials -= dst[i]
		}
	}
}
