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
			for _, a := range b.items[:b.count] {
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
