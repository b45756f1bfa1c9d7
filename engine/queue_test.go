package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQueueIsFirstInFirstOut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var q queue
	var want []*task
	for range 10_000 {
		switch random.IntN(6) {
		case 0, 1, 2:
			next := &task{}
			q.add(next)
			want = append(want, next)
		case 3:
			var more queue
			for range random.IntN(4) {
				next := &task{}
				more.add(next)
				want = append(want, next)
			}
			q.append(more)
		case 4:
			for range random.IntN(6) {
				got := q.take()
				if len(want) == 0 {
					require.Nil(t, got)
					continue
				}
				require.Same(t, want[0], got)
				require.Nil(t, got.next)
				want = want[1:]
			}
		case 5:
			all := q.takeAll()
			require.Equal(t, queue{}, q)
			require.Equal(t, len(want), all.length)
			q.append(all)
		}
		require.Equal(t, len(want), q.length)
	}
	for _, next := range want {
		require.Same(t, next, q.take())
	}
	require.Equal(t, queue{}, q)
}
