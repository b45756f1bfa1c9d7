package resource_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/philox"
	"github.com/weft-nd/weft/resource"
)

// The keys were computed by another implementation of the documented derivation.
func TestKeysAreFrozen(t *testing.T) {
	cases := []struct{ seed, key, child, second, grandchild uint64 }{
		{0, 0x81d075e2d68421a3, 0xd9ae5c963fb84139, 0x45da80faccf00de0, 0xbbf5364905d1fc7e},
		{1, 0x2839df42327aed6e, 0xb2114e7171b47897, 0xacdb60002683a2a3, 0xf1bd5674aa151097},
		{42, 0x39046177a60d816e, 0xd384cfa50bfd1e41, 0x3d27a45299775219, 0xaffda7780de07842},
		{math.MaxUint64, 0x716983d63d3be307, 0x7d1e41395f95f27a, 0x44d6e7a277789a85, 0x023ccb88b00de263},
	}
	for _, c := range cases {
		g := resource.NewGenerator(c.seed)
		require.Equal(t, resource.Ticket{Key: c.key, Sequence: 0}, g.Next())
		require.Equal(t, resource.Ticket{Key: c.key, Sequence: 1}, g.Next())
		child := g.Split()
		require.Equal(t, resource.Ticket{Key: c.child, Sequence: 0}, child.Next())
		require.Equal(t, c.second, g.Split().Next().Key)
		require.Equal(t, c.grandchild, child.Split().Next().Key)
		require.Equal(t, resource.Ticket{Key: c.key, Sequence: 2}, g.Next())
	}
}

// words returns the 64-bit words of the first count blocks of a ticket.
func words(ticket resource.Ticket, count uint64) []uint64 {
	all := make([]uint64, 0, 2*count)
	for block := range count {
		w := philox.Block(ticket.Key, philox.Counter(ticket.Sequence, block, 0))
		all = append(all, uint64(w[0])<<32|uint64(w[1]), uint64(w[2])<<32|uint64(w[3]))
	}
	return all
}

func TestAdjacentSeedsAndTicketsShareNoWords(t *testing.T) {
	const blocks = 100_000
	seen := map[uint64]bool{}
	g := resource.NewGenerator(7)
	tickets := []resource.Ticket{g.Next(), g.Next(), resource.NewGenerator(8).Next(), g.Split().Next(), g.Split().Next()}
	for _, ticket := range tickets {
		for _, word := range words(ticket, blocks) {
			seen[word] = true
		}
	}
	require.Len(t, seen, len(tickets)*2*blocks)
}

func TestStreamsOfASplitTreeAreDistinct(t *testing.T) {
	keys := map[uint64]bool{}
	var walk func(g *resource.Generator, depth int)
	walk = func(g *resource.Generator, depth int) {
		keys[g.Next().Key] = true
		if depth == 0 {
			return
		}
		for range 12 {
			walk(g.Split(), depth-1)
		}
	}
	for seed := range uint64(10) {
		walk(resource.NewGenerator(seed), 3)
	}
	require.Len(t, keys, 10*(1+12+12*12+12*12*12))
}

func TestSplittingDoesNotDependOnTickets(t *testing.T) {
	g, h := resource.NewGenerator(3), resource.NewGenerator(3)
	for range 10 {
		g.Next()
	}
	for range 5 {
		require.Equal(t, g.Split().Next(), h.Split().Next())
	}
	require.EqualValues(t, 0, h.Next().Sequence)
}

func TestConcurrentUsersGetDistinctTicketsAndStreams(t *testing.T) {
	const goroutines, each = 8, 1000
	g := resource.NewGenerator(1)
	tickets, keys := make([][]resource.Ticket, goroutines), make([][]uint64, goroutines)
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() {
			for range each {
				tickets[i] = append(tickets[i], g.Next())
				keys[i] = append(keys[i], g.Split().Next().Key)
			}
		})
	}
	all.Wait()
	sequences, distinct := map[uint64]bool{}, map[uint64]bool{}
	for i := range goroutines {
		for n := range each {
			sequences[tickets[i][n].Sequence] = true
			distinct[keys[i][n]] = true
		}
	}
	require.Len(t, sequences, goroutines*each)
	require.Len(t, distinct, goroutines*each)
	require.Equal(t, resource.State{Key: tickets[0][0].Key, Sequence: goroutines * each, Children: goroutines * each}, g.State())
	for sequence := range uint64(goroutines * each) {
		require.True(t, sequences[sequence])
	}
}

func TestARestoredGeneratorGoesOnAsTheSavedOne(t *testing.T) {
	g := resource.NewGenerator(5)
	g.Next()
	g.Split()
	state := g.State()
	other := resource.NewGenerator(6)
	other.Restore(state)
	for range 3 {
		require.Equal(t, g.Next(), other.Next())
		require.Equal(t, g.Split().Next(), other.Split().Next())
	}
	other.Restore(state)
	require.Equal(t, state, other.State())
	require.Equal(t, state.Sequence, other.Next().Sequence)
}

func TestTicketsAreDrawnAgain(t *testing.T) {
	for _, ticket := range []resource.Ticket{{}, {Key: 1, Sequence: 2}, {Key: math.MaxUint64, Sequence: math.MaxUint64}} {
		g := ticket.Generator()
		require.Equal(t, ticket, g.Next())
		require.Equal(t, resource.Ticket{Key: ticket.Key, Sequence: ticket.Sequence + 1}, g.Next())
	}
}
