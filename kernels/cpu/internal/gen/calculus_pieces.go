package main

import "slices"

// tailPieces is a Φ(−a) e^(a²/2) for a from 0 to 14.5 in pieces, which begin at 0, ½, 1, 2, 3, 5, 7 and 11: a
// polynomial of what a is above the beginning, with a relative error of less than 2^-24.5, most of it by coefficients
// in float32. These, the lowest power first, are each in the order of pieceOf. (Remez' algorithm, with 40 digits.)
var tailPieces = pieces("tailPiece", [][8]float64{
	{0x1.0bdb2ep-2, 0x1.5845dcp-2, 0x1.754a76p-2, 0x1.89d3acp-2, 0x1.90a4fcp-2, 0x1.95389ep-2, 0, 0x1.66027ap-3},
	{0x1.fcc7e4p-4, 0x1.5d2ffcp-5, 0x1.2c07e8p-6, 0x1.542a7p-8, 0x1.1061fcp-9, 0x1.2b9a88p-11, 0x1p-1, 0x1.e681dep-3},
	{-0x1.343af2p-4, -0x1.4984f8p-6, -0x1.c61b84p-8, -0x1.66f628p-10, -0x1.b2375ep-12, -0x1.3cbf64p-14, -0x1.988436p-2, -0x1.51656ep-3},
	{0x1.2ee8bcp-5, 0x1.02d96cp-7, 0x1.224d3p-9, 0x1.47978ap-12, 0x1.2ce944p-14, 0x1.272608p-17, 0x1.fff8ep-3, 0x1.76017ap-4},
	{-0x1.003a1p-6, -0x1.662d3ep-9, -0x1.4545c6p-11, -0x1.0e4f1ep-14, -0x1.7349ap-17, -0x1.fa86aep-21, -0x1.10027ap-3, -0x1.63c2p-5},
	{0x1.71bbacp-8, 0x1.b361cp-11, 0x1.30be12p-13, 0x1.893596p-17, 0x1.7d56e2p-20, 0x1.866518p-24, 0x1.f82fc4p-5, 0x1.295d3p-6},
	{-0x1.94cc3ep-10, -0x1.a293cap-13, -0x1.98f6e8p-16, -0x1.b7c42cp-20, -0x1.12daf4p-23, -0x1.d6f77p-28, -0x1.839afp-6, -0x1.9d999cp-8},
	{0x1.dec99cp-13, 0x1.c64b28p-16, 0x1.152f5p-19, 0x1.093c6cp-23, 0x1.8734d8p-28, 0x1.3677fcp-32, 0x1.70fd0cp-8, 0x1.6501fp-10},
})

// slopePieces is (Φ(−a) − a φ(a)) e^(a²/2) likewise, for a to 15, φ being the density of the normal distribution. It
// errs by less than 2^-24 of the sum in place of that difference.
var slopePieces = pieces("slopePiece", [][8]float64{
	{-0x1.19524cp-3, -0x1.4272dcp-1, -0x1.1347b4p+0, -0x1.eaf46cp+0, -0x1.5e4c44p+1, -0x1.168d9p+2, 0x1p-1, 0x1.3380a2p-3},
	{-0x1.129696p-1, -0x1.d8c2bep-2, -0x1.bbbdfp-2, -0x1.a734f6p-2, -0x1.a06394p-2, -0x1.9bd008p-2, -0x1.988446p-1, -0x1.3f03b2p-1},
	{0x1.fc9de4p-5, 0x1.5d241ep-6, 0x1.2bbf8ap-7, 0x1.5413b2p-9, 0x1.100638p-10, 0x1.2b8408p-12, 0x1.fff9ap-3, 0x1.e67e5cp-4},
	{-0x1.98daeep-6, -0x1.b62d04p-8, -0x1.2b0406p-9, -0x1.dc53fap-12, -0x1.1cbb26p-13, -0x1.a40df6p-16, -0x1.1008dcp-3, -0x1.c184ep-5},
	{0x1.21cd16p-7, 0x1.f739d8p-10, 0x1.0ac8cp-11, 0x1.39763p-14, 0x1.0eb876p-16, 0x1.18fc1ep-19, 0x1.f8921ep-5, 0x1.71e9p-6},
	{-0x1.44ef3ep-9, -0x1.e07d66p-12, -0x1.6c0476p-14, -0x1.54da8p-17, -0x1.87667cp-20, -0x1.384df8p-23, -0x1.84f89p-6, -0x1.0318acp-7},
	{0x1.980672p-12, 0x1.0fc05ep-14, 0x1.062b84p-17, 0x1.a883a4p-21, 0x1.25e2fcp-24, 0x1.8c3ba8p-28, 0x1.74a14ep-8, 0x1.d170eap-10},
})

// pieces returns tables of three bits, which look up alike in vectors of eight and of sixteen elements.
func pieces(name string, coefficients [][8]float64) (tables []table) {
	for power, entries := range coefficients {
		t := table{name: name + string(rune('0'+power)), doc: "are coefficients of the " + ordinal(power) + " power, by pieceOf."}
		copy(t.entries[copy(t.entries[:], entries[:]):], entries[:])
		tables = append(tables, t)
	}
	return tables
}

func ordinal(i int) string {
	return []string{"zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh"}[i]
}

// isOfThreeBits tells whether the fourth bit does not matter.
func (t table) isOfThreeBits() bool { return slices.Equal(t.entries[:8], t.entries[8:]) }

// pieceOf returns in which piece a is, half of one from a power of two of 1+a to the next, as three bits, and by how much it is above the
// beginning of that, exactly: by less than nothing where 1+a was rounded up to it.
func pieceOf(c code, a value) (piece, above value) {
	one, fraction := c.number(1), formatOf(c).places-1
	beyond := c.add(a, one)
	beginning := c.and(beyond, c.bits(0xFFFFFFFF<<fraction&0xFFFFFFFF))
	return c.shiftRight(beyond, fraction), c.subtract(a, c.subtract(beginning, one))
}

// inPiece is a polynomial with coefficients from tables.
func inPiece(c code, piece, x value, tables []table) value {
	last := len(tables) - 1
	sum := c.lookUp(tables[last], piece)
	for _, t := range slices.Backward(tables[:last]) {
		sum = c.fused(sum, x, c.lookUp(t, piece))
	}
	return sum
}
