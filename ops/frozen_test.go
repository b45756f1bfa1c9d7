package ops

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// frozenBits are the first 8 bytes of the SHA-256 of all that the calls in random give, for each operator that draws. They
// hold on every processor, with and without assembly.
var frozenBits = map[string]string{
	"bernoulli":           "a59dfbe2fd6c3d26",
	"bernoulli_of":        "27b765009496db3a",
	"beta":                "ffc109bef10266d0",
	"binomial":            "460a1998ef6b8dc9",
	"binomial_of":         "f87eab959e808f3a",
	"categorical":         "7ebc325e0945a88f",
	"cauchy":              "61a48f3b46281112",
	"chi_square":          "af8d972cebdcc807",
	"choose":              "0010fac6a0db33e3",
	"choose_weighted":     "4e2ee1e07e51b251",
	"dirichlet":           "3620fb873046013e",
	"dropout":             "70d104714ad178a6",
	"exponential":         "824ed3dca42344a1",
	"gamma":               "bad0e05d374483d5",
	"geometric":           "2e245161e2e47a30",
	"gumbel":              "6c50b5577e22d694",
	"laplace":             "847138aa1b52afcd",
	"log_normal":          "a9eb33c70910cc7e",
	"logistic":            "e8947386e766c68a",
	"multinomial":         "416bb60526f7eed1",
	"multivariate_normal": "6b99f86ff7eae2c9",
	"negative_binomial":   "7f7383a9fbdb14b5",
	"normal":              "968f821d3e1c2a60",
	"permutation":         "d4cb12d2b435c2fa",
	"poisson":             "a0e1c5afd85ac2a1",
	"poisson_of":          "6ba896038845269a",
	"randint":             "fc342cb28ace9666",
	"student_t":           "7e9f10f3fd385ef0",
	"truncated_normal":    "2516ed74224b4fa5",
	"uniform":             "be1ced2c96e667a9",
	"weibull":             "5df87b6b8885ec2a",
}

func TestRandomBitsAreFrozen(t *testing.T) {
	env := newEnv(t, "naive")
	found := map[string]string{}
	for op, all := range random {
		sum := sha256.New()
		for _, d := range all {
			sum.Write(mustBytes(t, d.call(env, op)))
		}
		found[op.Name] = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	}
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&table, "\t%q: %q,\n", name, found[name])
	}
	require.Equal(t, frozenBits, found, "the table would be:\n%s", &table)
}
