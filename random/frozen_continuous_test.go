package random_test

import (
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// frozen are digests of numbers of float64, float32, float16 and bfloat16, which hold on every processor, and for all time.
var frozen = map[string][4]uint64{
	"beta 0.2 0.3":        {0xc621b61a9b6b51e2, 0xdda90ae62f019bb4, 0x1716373f0febc7c8, 0x97ec7d1c3bd26761},
	"beta 0.5 20":         {0xca997607e62f2756, 0x90ea7db36c34f09e, 0x5c71d268b41bc288, 0x47a9e3f12e7ae8ee},
	"beta 1 1":            {0xee6984d0c8660fea, 0xbcf7757e1628e158, 0xe1637ae111936290, 0xad847a268450c96c},
	"beta 300 200":        {0x245391b944d21348, 0x1a1e427c3bf7d5a1, 0x7faa31720c332854, 0xa1f48c78ed32a26},
	"cauchy -1 2":         {0xff31186aaa760baf, 0xfe1183713f055b06, 0x6b054085b42015f3, 0x8be284765f43802a},
	"chi-square 1":        {0x3615a75efdf95627, 0xcb816010955d9ddc, 0x69fd4902b2602e7d, 0xb7957c328cfd4b16},
	"chi-square 9.5":      {0x10067e39ed7e1b4, 0x367887d2258487bf, 0x6d0f335866c7e9c, 0xa77162ceba1c2cc4},
	"dirichlet":           {0xb83014a9eb4745be, 0x4b2e8ad9502ca4f4, 0x1e2913d4cedc28c7, 0x74a25d417e514c3b},
	"exponential 3":       {0x94c3e1c9ad66e1f1, 0x435b39be8e4e7937, 0xd30e1cf8619a219a, 0xcb40d8f05165d709},
	"gamma 0.05 1":        {0x5b6db39f06aa09a4, 0xf53a1d68b37f3217, 0xf9eb6404febecbb2, 0xbc388d70b2725e7c},
	"gamma 0.99 1":        {0x44a35ae3dfcf4d5a, 0x7f40616d591f605, 0xb647cea40984bc0a, 0x66f69a3125095d9},
	"gamma 1 3":           {0x3bc0e9b4b3def34d, 0x6bdbcadefbd05ccf, 0x419ab9d288ec18ca, 0xd7b560259a93c4df},
	"gamma 1e14 1":        {0x605cb659fd4bf04a, 0xa5d4ed53ace341ae, 0x600b908905950425, 0x1f34af42cfdb18a5},
	"gamma 40000 1":       {0xc5c541fb9cfac06c, 0xa6240c77cdf393cd, 0x41bf31e5bf334039, 0x9383eb467753f765},
	"gamma 7.5 1":         {0xb2456b09824b844d, 0x74d9db68bb1a76bd, 0xdbeba75081b3e58a, 0x83c477cc6f94647c},
	"gumbel -1 2":         {0x16fe0c4408f7ebde, 0x39b2743fa25a938b, 0xdc5d5e00d0076fa6, 0x4f7d396b9b4ca62a},
	"laplace -1 2":        {0x225cb48771c932c, 0xfe355ad41096a0ca, 0xb1abb7cdf0bf8c30, 0x9b06a27a790cc51e},
	"log-normal 0 3":      {0xdb8ebd11efb09300, 0x62e22a2d67d1c1d7, 0x1b7b60909bdb78f8, 0xe26910da99c90815},
	"log-normal 1 0.25":   {0xedf14949aed7c656, 0xf4e8d9f97af16585, 0x111780c642679000, 0xb527734753d874d0},
	"logistic -1 2":       {0x88b94f2f9b765f4a, 0xea628977a244a2fc, 0xa9adc0919166dae4, 0x83f00df78467b02c},
	"multivariate normal": {0x1208db7ca854fd19, 0x3b2f2481a0ac5761, 0x19248a464315a395, 0xb7578f21ee5d85d5},
	"normal 3 2":          {0x59432810539a7b21, 0x72b6e56928bf6137, 0x387b06c524b840d3, 0x5390e427109e134d},
	"student 0.3":         {0x8c31691a57cccfef, 0xffa37bd83686eec0, 0xe8a1276872452cae, 0x92f3660848a1365c},
	"student 1":           {0x49648447391663dc, 0x5f54e53ec0f5ae19, 0x23b75d86bef18db, 0x60582da722037061},
	"student 10":          {0xbec47ac40d403a14, 0x985b6d2ec783ad25, 0xee4f5fa58f4721f4, 0x7b64225a0358e0a6},
	"student 1e30":        {0x8d9fda7453738c67, 0xe0c40f6b6c272e56, 0x3a7567d5f5421ff, 0x5a218bd9c1f1c10d},
	"truncated -0.5 1.2":  {0x2343c524b60f3c51, 0x7847a7a79a992aea, 0xd56d08c40a273ab6, 0x5fa976136c5faa87},
	"truncated -2 2":      {0x3be0059490eff76f, 0x3ddbc0f9e7b01b34, 0xf7214207ba8f3a38, 0x42c08dff16d6b2c},
	"truncated 0.3 inf":   {0xdf79f4f8b804ab57, 0x6e78ba45b8d79386, 0x464f5a2f40244101, 0xcb6319baca30b6fd},
	"truncated 1 1.17":    {0x9ebce502a592925d, 0x89a07a0e480c9fad, 0xf6230e4495158ce5, 0x2da6b2c5b3d01a85},
	"truncated at -7":     {0x5fbe2a0e97a1aa82, 0x25cc470602ab9cf, 0x6d00a4d24c937a85, 0x18e053302d244738},
	"truncated at 30":     {0xb4c2fc5f4da88b37, 0x90a89f8ae37e67ea, 0xda0b47d712e1a97d, 0x7feb0e1f18f84de5},
	"uniform -2 4":        {0x59ce0e940cad04cd, 0xdfdc2942a773c78c, 0xfb058cefbc3bb206, 0x6cc9032609efc249},
	"uniform 0 1":         {0xe42140d49c4ab517, 0x8d211aed2ea365cd, 0xe3dac8246a5a4fca, 0x200d7ac6f25fc136},
	"weibull 0.2 1":       {0x819a6702597afdcb, 0xd3e5d0fab5ae06d8, 0x9905851320e22fa8, 0x2d24a56312393ae0},
	"weibull 3 2":         {0xc961e73736bf8890, 0x9f9ef23976289099, 0x6612fc941bd1f773, 0x50e9565038623904},
	"truncated flat":      {0xf3fb229b3a993e0, 0x29ecb71561957787, 0xe7a8de8a801d3fa5, 0xcf1fe960391fc7eb},
}

// digest is the FNV hash of the bits of the numbers of x.
func digest(t *testing.T, x *nd.Array) uint64 {
	hash := fnv.New64a()
	for _, v := range floatsOf(t, x) {
		bits := math.Float64bits(v)
		for shift := 0; shift < 64; shift += 8 {
			hash.Write([]byte{byte(bits >> shift)})
		}
	}
	return hash.Sum64()
}

func TestFrozenBitsOfContinuousDistributions(t *testing.T) {
	t.Parallel()
	samplers := map[string]sampler{
		"dirichlet": func(env *nd.Env, d dtype.DType, n int) *nd.Array {
			return random.Dirichlet(nd.FromSliceIn(env, []float64{0.25, 1, 3, 0.5, 9}).Cast(d), n/5)
		},
		"multivariate normal": func(env *nd.Env, d dtype.DType, n int) *nd.Array {
			covariance := nd.FromSliceIn(env, []float64{4, 1, -2, 1, 3, 0.5, -2, 0.5, 9}, 3, 3).Cast(d)
			return random.MultivariateNormal(nd.FromSliceIn(env, []float64{1, -2, 0.5}).Cast(d), covariance, n/3)
		},
	}
	for _, test := range continuous {
		samplers[test.name] = test.draw
	}
	require.Equal(t, len(samplers), len(frozen))
	for name, draw := range samplers {
		var got [4]uint64
		for i, d := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.Float16, dtype.BFloat16} {
			got[i] = digest(t, draw(seeded(1<<40+7), d, 10_000))
		}
		if frozen[name] != got {
			t.Errorf("%q has changed: {%#x, %#x, %#x, %#x}", name, got[0], got[1], got[2], got[3])
		}
	}
}
