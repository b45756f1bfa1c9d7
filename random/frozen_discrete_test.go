package random_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// TestFrozenBitsOfDiscreteDistributions holds on every processor, and for all time.
func TestFrozenBitsOfDiscreteDistributions(t *testing.T) {
	weights := make([]float64, 37)
	for i := range weights {
		weights[i] = float64(i*i%11) + 0.3
	}
	w := func() *nd.Array { return nd.FromSliceIn(seeded(77), weights) }
	rates := func() *nd.Array { return nd.FromSliceIn(seeded(77), weights).Reshape(37, 1).BroadcastTo(37, 50) }
	small := func() *nd.Array { return rates().DivScalar(12) }
	env := func() *nd.Env { return seeded(78) }
	for _, test := range []struct {
		name, hash string
		numbers    *nd.Array
	}{
		{"integers of 64 bits", "d383742bf5dd7981", random.Integers[int64](env(), -5, 3<<61, 2001)},
		{"integers of 32 bits", "a1507ed9cb1f9752", random.Integers[int32](env(), -5, 3<<29, 2001)},
		{"integers of 8 bits", "e1901953da794a07", random.Integers[uint8](env(), 0, 99, 2001)},
		{"bernoulli", "670f1abb387553f0", random.Bernoulli(env(), 0.3, 2001).Cast(dtype.Int64)},
		{"bernoulli of an array", "e65fc4a80c0aaac7", random.BernoulliOf(small()).Cast(dtype.Int64)},
		{"few events", "2fb4f2f968e1da88", random.Poisson(env(), 4.5, 2001)},
		{"many events", "452fcf2250cd37d5", random.Poisson(env(), 31.5, 2001)},
		{"huge rate", "2ba9f9437686dc41", random.Poisson(env(), 1e17, 2001)},
		{"poisson of an array", "cc5f7cf469ac2e0d", random.PoissonOf(rates().MulScalar(3))},
		{"few successes", "e39da9207f53b938", random.Binomial(env(), 12, 0.4, 2001)},
		{"many successes", "69549635cf46b106", random.Binomial(env(), 120, 0.6, 2001)},
		{"huge number of trials", "3c81e6432ba44e4b", random.Binomial(env(), 1<<50, 0.1, 2001)},
		{"binomial of arrays", "c0cacab421f6f8bb", random.BinomialOf(nd.FullIn(env(), dtype.Int64, 70, 50), small())},
		{"geometric", "661196f71c5169b3", random.Geometric(env(), 0.01, 2001)},
		{"negative binomial", "5168295cbec9dbcb", random.NegativeBinomial(env(), 3.3, 0.1, 2001)},
		{"categorical", "82c1bf024f7b56d5", random.Categorical(w(), 2001)},
		{"categorical of logits", "7854ed3d9852c1dc", random.CategoricalLogits(w(), 2001)},
		{"multinomial", "d611351c1f474759", random.Multinomial(w(), 500, 51)},
		{"permutation", "0b47356318979404", random.Permutation(env(), 2001)},
		{"choose many", "60988e22d93afa1e", random.Choose(env(), 3001, 2001)},
		{"choose few", "de27365c015957b7", random.Choose(env(), 1<<40, 2001)},
		{"choose weighted", "6179c239352c68d1", random.ChooseWeighted(w().BroadcastTo(60, 37), 20)},
		{"choose weighted logits", "4546dc790a02ee9c", random.ChooseWeighted(w(), 30)},
	} {
		numbers, err := nd.ValuesAs[int64](test.numbers)
		require.NoError(t, err)
		digest := sha256.New()
		require.NoError(t, binary.Write(digest, binary.LittleEndian, numbers))
		require.Equal(t, test.hash, hex.EncodeToString(digest.Sum(nil)[:8]), test.name)
	}
}
