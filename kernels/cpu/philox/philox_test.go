package philox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBlockEqualsPublishedVectors(t *testing.T) {
	cases := []struct {
		key           uint64
		counter, want [4]uint32
	}{
		{0, [4]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{
			^uint64(0), [4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{
			0x299f31d0_a4093822, [4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	}
	for _, c := range cases {
		require.Equal(t, c.want, Block(c.key, c.counter))
	}
}

func TestBlockEqualsRandom123(t *testing.T) {
	for _, known := range random123(t) {
		require.Equal(t, known.want, Block(known.key, known.counter))
	}
}

// knownAnswer is a line of Random123's known answers.
type knownAnswer struct {
	key           uint64
	counter, want [4]uint32
}

// random123 returns the known answers for Philox4x32-10, and skips the test where they are missing.
func random123(t *testing.T) []knownAnswer {
	path := filepath.Join("conformance", "random123", "kat_vectors")
	text, err := os.ReadFile(filepath.Join(sharedFolder(t), path))
	if err != nil {
		t.Skipf("the known answers of Random123 are not here: %v", err)
	}
	var answers []knownAnswer
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 12 || fields[0] != "philox4x32" || fields[1] != "10" {
			continue
		}
		var words [10]uint32
		for i, field := range fields[2:] {
			word, err := strconv.ParseUint(field, 16, 32)
			require.NoError(t, err)
			words[i] = uint32(word)
		}
		key := uint64(words[5])<<32 | uint64(words[4])
		answers = append(answers, knownAnswer{key, [4]uint32(words[:4]), [4]uint32(words[6:])})
	}
	require.NotEmpty(t, answers)
	return answers
}

// sharedFolder returns the folder "shared" beside the repository, and skips the test where there is none.
func sharedFolder(t *testing.T) string {
	folder, err := os.Getwd()
	require.NoError(t, err)
	for {
		shared := filepath.Join(folder, "shared")
		if info, err := os.Stat(shared); err == nil && info.IsDir() {
			return shared
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Skip("no folder named shared beside the repository")
		}
		folder = parent
	}
}

func TestCounterPacksItsFields(t *testing.T) {
	require.Equal(t, [4]uint32{0x55667788, 0xabcd3344, 0xccddeeff, 0x8899aabb},
		Counter(0x8899aabb_ccddeeff, 0x3344_55667788, 0xabcd))
}
