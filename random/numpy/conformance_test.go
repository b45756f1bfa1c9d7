package numpy

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharedFile reads a file of the folder "shared" beside the repository, and skips the test where there is none.
func sharedFile(t *testing.T, path ...string) string {
	folder, err := os.Getwd()
	require.NoError(t, err)
	for {
		text, err := os.ReadFile(filepath.Join(append([]string{folder, "shared", "conformance"}, path...)...))
		if err == nil {
			return string(text)
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Skipf("no folder shared beside the repository with %s", filepath.Join(path...))
		}
		folder = parent
	}
}

// testSet returns the seed and the numbers of a file of NumPy's own tests.
func testSet(t *testing.T, name string) (seed uint64, numbers []uint64) {
	for line := range strings.Lines(sharedFile(t, "numpy-rng", name)) {
		label, value, found := strings.Cut(strings.TrimSpace(line), ", ")
		require.True(t, found, line)
		n, err := strconv.ParseUint(value, 0, 64)
		require.NoError(t, err)
		if label == "seed" {
			seed = n
			continue
		}
		require.Equal(t, strconv.Itoa(len(numbers)), label)
		numbers = append(numbers, n)
	}
	require.Len(t, numbers, 1000)
	return seed, numbers
}

// TestPhiloxEqualsNumPys also checks what NumPy's own tests derive from the numbers: halves, the low one first, and doubles.
func TestPhiloxEqualsNumPys(t *testing.T) {
	for _, file := range []string{"philox-testset-1.csv", "philox-testset-2.csv"} {
		seed, numbers := testSet(t, file)
		whole, halves, doubles := NewPhilox(seed), NewPhilox(seed), NewPhilox(seed)
		for i, n := range numbers {
			require.Equal(t, n, whole.Uint64(), "number %d of %s", i, file)
			require.Equal(t, uint32(n), halves.Uint32())
			require.Equal(t, uint32(n>>32), halves.Uint32())
			require.Equal(t, float64(n>>11)/9007199254740992, doubles.Float64())
		}
	}
}

func TestMT19937EqualsNumPys(t *testing.T) {
	for _, file := range []string{"mt19937-testset-1.csv", "mt19937-testset-2.csv"} {
		seed, numbers := testSet(t, file)
		words, whole, doubles := NewMT19937(seed), NewMT19937(seed), NewMT19937(seed)
		for i := 0; i < len(numbers); i += 2 {
			a, b := numbers[i], numbers[i+1]
			require.EqualValues(t, a, words.Uint32(), "number %d of %s", i, file)
			require.EqualValues(t, b, words.Uint32(), "number %d of %s", i+1, file)
			require.Equal(t, a<<32|b, whole.Uint64())
			require.Equal(t, (float64(a>>5)*67108864+float64(b>>6))/9007199254740992, doubles.Float64())
		}
	}
}

func TestPhiloxBlocksEqualRandom123s(t *testing.T) {
	checked := 0
	for line := range strings.Lines(sharedFile(t, "random123", "kat_vectors")) {
		fields := strings.Fields(line)
		if len(fields) != 12 || fields[0] != "philox4x64" || fields[1] != "10" {
			continue
		}
		var words [10]uint64
		for i, field := range fields[2:] {
			word, err := strconv.ParseUint(field, 16, 64)
			require.NoError(t, err)
			words[i] = word
		}
		require.Equal(t, [4]uint64(words[6:]), philox4x64([2]uint64(words[4:6]), [4]uint64(words[:4])), line)
		checked++
	}
	require.Equal(t, 3, checked)
}
