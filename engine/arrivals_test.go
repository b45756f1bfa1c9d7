package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArrivalsAreReadInTheOrderOfPushes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q arrivals
	var added, read uint64
	readAll := func(b *batch) {
		for b != nil {
			for i := range b.count {
				a := b.arrival(i)
				read++
				require.Equal(t, read, a.number)
			}
			next := b.next
			q.giveBack(b)
			b = next
		}
	}
	for range 2000 {
		switch random.IntN(4) {
		case 0:
			readAll(q.next())
		case 1:
			readAll(q.takeAll())
			require.Equal(t, added, read)
		default:
			for range random.IntN(3 * crowd) {
				added++
				q.add(arrival{number: added})
			}
		}
		require.Equal(t, added == read, q.isEmpty())
	}
}

// What was handed over and is not registered is in no queue, so nobody else may think that its variables are free.
func TestNobodyIsAloneBesideWhatIsNotRegistered(t *testing.T) {
	e := NewPerDevice().(*threaded)
	e.intake.taken = &batch{}
	require.False(t, e.TryAlone(true))
	e.intake.taken = nil
	require.True(t, e.TryAlone(true))
	e.EndAlone(true, false)
	require.NoError(t, e.Close(t.Context()))
}
