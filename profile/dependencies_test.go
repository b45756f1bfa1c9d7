package profile

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// waits are the dependencies of all records as their definition has them: byte by byte, each with everyone before.
func waits(records []Record) [][]int32 {
	const size = 24 // all ranges of the tests are below
	touches := func(r Record, variable uint64, at int64) (reads, writes bool) {
		for _, a := range r.Accesses {
			if a.Variable == variable && (a.Hi == 0 || a.Lo <= at && at < a.Hi) {
				reads, writes = reads || a.Mode == Read, writes || a.Mode != Read
			}
		}
		return reads, writes
	}
	all := make([][]int32, len(records))
	for i := range records {
		for variable := range uint64(4) {
			for at := range int64(size) {
				reads, writes := touches(records[i], variable, at)
				if !reads && !writes {
					continue
				}
				readers := false
				for j := i - 1; j >= 0; j-- {
					read, wrote := touches(records[j], variable, at)
					if wrote {
						if !writes || !readers {
							all[i] = append(all[i], int32(j))
						}
						break
					}
					if read && writes {
						readers = true
						all[i] = append(all[i], int32(j))
					}
				}
			}
		}
		slices.Sort(all[i])
		all[i] = slices.Compact(all[i])
	}
	return all
}

func TestDependenciesAreTheNearestConflicts(t *testing.T) {
	for seed := range uint64(60) {
		records := sortedByNumber(run(seed, 40, 3))
		got := dependencies(records)
		want := waits(records)
		for i := range records {
			require.ElementsMatch(t, want[i], got[i], "seed %d, record %d of %v", seed, i, records)
		}
	}
}

// Steps along dependencies lead exactly to what the engine's rule makes an operation wait for.
func TestDependenciesReachAllThatIsWaitedFor(t *testing.T) {
	for seed := range uint64(60) {
		records := sortedByNumber(run(seed, 60, 3))
		before := dependencies(records)
		reached, wanted := make([]uint64, len(records)), make([]uint64, len(records)) // bit j of i: i waits for j
		for i := range records {
			for _, j := range before[i] {
				require.True(t, conflict(records[j], records[i]), "seed %d: %d on %d", seed, i, j)
				reached[i] |= 1<<j | reached[j]
			}
			for j := range i {
				if conflict(records[j], records[i]) {
					wanted[i] |= 1<<j | wanted[j]
				}
			}
			require.Equal(t, fmt.Sprintf("%b", wanted[i]), fmt.Sprintf("%b", reached[i]), "seed %d, record %d: %d differ", seed, i, bits.OnesCount64(wanted[i]^reached[i]))
		}
	}
}

func TestRecordsWithoutNumberDependOnNothing(t *testing.T) {
	access := []Access{{Variable: 1, Mode: Update}}
	got := dependencies([]Record{{Accesses: access}, {Number: 1, Accesses: access}, {Number: 2, Accesses: access}})
	require.Equal(t, [][]int32{nil, {}, {1}}, [][]int32{got[0], append([]int32{}, got[1]...), got[2]})
}
