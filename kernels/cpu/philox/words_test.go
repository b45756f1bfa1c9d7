package philox

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// blockByBlock is what Words is documented to be.
func blockByBlock(count int, key, sequence, block uint64, draw uint16) []uint32 {
	result := make([]uint32, count)
	for i := range result {
		result[i] = Block(key, Counter(sequence, block+uint64(i/4), draw))[i%4]
	}
	return result
}

// requireWords checks the words of a level, and that it writes nothing around them, with dst shift words behind an address
// that is a multiple of 8.
func requireWords(t *testing.T, level features.Level, count, shift int, key, sequence, block uint64, draw uint16) {
	t.Helper()
	const canary = 0xdeadbeef
	memory := make([]uint32, shift+count+40)
	for i := range memory {
		memory[i] = canary
	}
	Words(memory[shift:shift+count], key, sequence, block, draw)
	require.Equal(t, blockByBlock(count, key, sequence, block, draw), memory[shift:shift+count],
		"%v: %d words at %d, key %#x, sequence %#x, block %#x, draw %d", level, count, shift, key, sequence, block, draw)
	for i, word := range memory {
		if i < shift || i >= shift+count {
			require.Equal(t, uint32(canary), word, "%v wrote outside: %d words", level, count)
		}
	}
}

func eachLevel(t *testing.T, test func(t *testing.T, level features.Level)) {
	features.Each(func(level features.Level) {
		t.Run(level.String(), func(t *testing.T) { test(t, level) })
	})
}

func TestWordsAreThoseOfBlocksForEverySizeAndPlace(t *testing.T) {
	eachLevel(t, func(t *testing.T, level features.Level) {
		for count := range 301 {
			requireWords(t, level, count, count%19, 0x1234_5678_9abc_def0, 42, uint64(count), uint16(count))
		}
		for _, count := range []int{511, 512, 513, 1024, 5000, longest - 1, longest, longest + 1, 2*longest + 77} {
			requireWords(t, level, count, 1, ^uint64(0), ^uint64(0), ^uint64(0), ^uint16(0))
		}
	})
}

func TestWordsCarryIntoTheHighBitsOfTheBlock(t *testing.T) {
	eachLevel(t, func(t *testing.T, level features.Level) {
		for _, boundary := range []uint64{1 << 32, 2 << 32, 0xffff << 32, 1 << 47, 1 << 48, 0} {
			for before := range uint64(70) {
				requireWords(t, level, 300, int(before), 7, 1<<63|5, boundary-before, 3)
			}
		}
	})
}

func TestWordsOfManyKeysAndSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 2000
	if testing.Short() {
		rounds = 300
	}
	eachLevel(t, func(t *testing.T, level features.Level) {
		for range rounds {
			requireWords(t, level, r.IntN(300), r.IntN(16), r.Uint64(), r.Uint64(), r.Uint64(), uint16(r.Uint64()))
		}
		for bit := range 64 {
			requireWords(t, level, 130, 0, 1<<bit, 0, 0, 0)
			requireWords(t, level, 130, 0, 0, 1<<bit, 0, 0)
			requireWords(t, level, 130, 0, 0, 0, 1<<bit, 1<<(bit%16))
		}
	})
}

// The known answers of Random123 have counters of the form that Counter makes.
func TestWordsEqualRandom123(t *testing.T) {
	for _, known := range random123(t) {
		sequence := uint64(known.counter[3])<<32 | uint64(known.counter[2])
		block := uint64(known.counter[1]&0xffff)<<32 | uint64(known.counter[0])
		draw := uint16(known.counter[1] >> 16)
		eachLevel(t, func(t *testing.T, level features.Level) {
			for count := range 200 {
				dst := make([]uint32, count+4)
				Words(dst, known.key, sequence, block-uint64(count/4), draw)
				require.Equal(t, known.want[:], dst[count/4*4:count/4*4+4])
			}
		})
	}
}

// The same bits on every processor: the sum was computed once, by portable Go.
func TestWordsHaveTheSameBitsEverywhere(t *testing.T) {
	eachLevel(t, func(t *testing.T, level features.Level) {
		all := make([]uint32, 100_000)
		Words(all, 0x0123_4567_89ab_cdef, 99, 1<<32-5000, 1)
		hash := fnv.New64a()
		require.NoError(t, binary.Write(hash, binary.LittleEndian, all))
		require.Equal(t, "0xd7322fd8f7c9eedc", fmt.Sprintf("%#016x", hash.Sum64()))
	})
}

func TestWordsAllocateNothing(t *testing.T) {
	dst := make([]uint32, 1000)
	require.Zero(t, testing.AllocsPerRun(10, func() { Words(dst, 1, 2, 3, 4) }))
}

func BenchmarkWords(b *testing.B) {
	features.Each(func(level features.Level) {
		for _, count := range []int{4, 32, 128, 4096} {
			b.Run(fmt.Sprintf("%v/%d", level, count), func(b *testing.B) {
				dst := make([]uint32, count)
				for b.Loop() {
					Words(dst, 1, 2, 3, 0)
				}
				b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
			})
		}
	})
}
