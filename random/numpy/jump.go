package numpy

import "sync"

// Jumped returns MT19937.jumped(jumps), a generator 2¹²⁸ words further on than m for each jump; m stays as it is. A jump takes
// milliseconds. It is NumPy's in every bit, and shares its flaw: only if m is at the start or the end of its 624 words is
// it a jump by exactly that many words; elsewhere it leads to a state that is as remote, but of another place.
//
// The method is that of Haramoto, Matsumoto, Nishimura, Panneton and L'Ecuyer, "Efficient jump ahead for F2-linear random
// number generators" (INFORMS Journal on Computing 20(3), 2008): a step of the generator is linear over GF(2), so that a
// jump is a polynomial in the step, reduced by the characteristic one.
func (m *MT19937) Jumped(jumps uint64) *MT19937 {
	jumped := *m
	for range jumps {
		jumped.jump()
	}
	return &jumped
}

func (m *MT19937) jump() {
	coefficients := jumpPolynomial()
	if m.position == mtSize {
		m.position = 0
	}
	degree := mtBits - 1
	for !coefficients.has(degree) {
		degree--
	}
	sum := *m
	for i := degree - 1; i >= 0; i-- { // by Horner's scheme
		sum.step()
		if coefficients.has(i) {
			sum.addState(m)
		}
	}
	*m = sum
}

// step replaces the oldest word by a new one.
func (m *MT19937) step() {
	i := m.position
	m.key[i] = twist(m.key[i], m.key[(i+1)%mtSize], m.key[(i+mtMiddle)%mtSize])
	m.position = (i + 1) % mtSize
}

// addState adds other, word by word from the oldest on.
func (m *MT19937) addState(other *MT19937) {
	to, from := m.position, other.position
	for done := 0; done < mtSize; {
		part := min(mtSize-done, mtSize-to, mtSize-from)
		sum := m.key[to : to+part]
		for i, word := range other.key[from : from+part] {
			sum[i] ^= word
		}
		done, to, from = done+part, (to+part)%mtSize, (from+part)%mtSize
	}
}

// polynomial is one over GF(2); bit i%64 of word i/64 is the coefficient of tⁱ.
type polynomial []uint64

// roomy is the number of words that hold a square of a reduced polynomial.
const roomy = 2*mtBits/64 + 1

func (p polynomial) has(degree int) bool { return p[degree/64]>>(degree%64)&1 != 0 }

// add adds word·tᵈᵉᵍʳᵉᵉ.
func (p polynomial) add(word uint64, degree int) {
	i, shift := degree/64, degree%64
	p[i] ^= word << shift
	if high := word >> (64 - shift); high != 0 {
		p[i+1] ^= high
	}
}

// times returns p·(tᵃ + tᵇ).
func (p polynomial) times(a, b int) polynomial {
	product := make(polynomial, roomy)
	for i, word := range p {
		if word != 0 {
			product.add(word, 64*i+a)
			product.add(word, 64*i+b)
		}
	}
	return product
}

// characteristic returns the degrees below mtBits in the characteristic polynomial of a step, as the paper on MT19937
// gives it: with A = tⁿ + tᵐ and B = tⁿ⁻¹ + tᵐ⁻¹, A·(B³¹ + a₀·B³⁰ + … + a₃₀) + a₃₁, where aᵢ is bit i of the matrix.
func characteristic() (degrees []int) {
	p := make(polynomial, roomy)
	p[0] = 1
	for i := range 31 {
		p = p.times(mtSize-1, mtMiddle-1)
		p[0] ^= mtMatrix >> i & 1
	}
	p = p.times(mtSize, mtMiddle)
	p[0] ^= mtMatrix >> 31
	for degree := range mtBits {
		if p.has(degree) {
			degrees = append(degrees, degree)
		}
	}
	return degrees
}

// jumpPolynomial returns t to the power of 2¹²⁸, reduced.
var jumpPolynomial = sync.OnceValue(func() polynomial {
	degrees := characteristic()
	p := make(polynomial, roomy)
	p[0] = 2
	for range 128 {
		p = p.square()
		p.reduce(degrees)
	}
	return p
})

func (p polynomial) square() polynomial {
	product := make(polynomial, roomy)
	for degree := range mtBits {
		if p.has(degree) {
			product[degree/32] |= 1 << (2 * degree % 64)
		}
	}
	return product
}

// reduce replaces tᵐᵗᴮⁱᵗˢ by the terms with the given degrees, 64 coefficients at a time. These are so much lower that
// what is replaced gives none that are to be replaced with them.
func (p polynomial) reduce(degrees []int) {
	const last, partial = mtBits / 64, mtBits % 64
	for i := roomy - 1; i > last; i-- {
		word := p[i]
		p[i] = 0
		for _, degree := range degrees {
			p.add(word, 64*i-mtBits+degree)
		}
	}
	word := p[last] >> partial
	p[last] ^= word << partial
	for _, degree := range degrees {
		p.add(word, degree)
	}
}
