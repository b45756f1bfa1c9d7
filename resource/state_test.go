package resource_test

import (
	"encoding/json"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
)

func marshalled(t *testing.T, g *resource.Generator) []byte {
	data, err := g.MarshalBinary()
	require.NoError(t, err)
	return data
}

func TestSavedGeneratorsGoOnWhereTheyStood(t *testing.T) {
	for _, state := range []resource.State{
		{}, {Key: 1, Sequence: 2, Children: 3}, {Key: math.MaxUint64, Sequence: math.MaxUint64, Children: math.MaxUint64},
	} {
		g := resource.NewGenerator(5)
		g.Restore(state)
		var fromBinary resource.Generator // a zero generator may be restored into
		require.NoError(t, fromBinary.UnmarshalBinary(marshalled(t, g)))
		text, err := json.Marshal(map[string]*resource.Generator{"random": g})
		require.NoError(t, err)
		restored := map[string]*resource.Generator{}
		require.NoError(t, json.Unmarshal(text, &restored))
		for _, other := range []*resource.Generator{&fromBinary, restored["random"]} {
			require.Equal(t, state, other.State())
		}
		for range 3 {
			ticket, child := g.Next(), g.Split().Next()
			for _, other := range []*resource.Generator{&fromBinary, restored["random"]} {
				require.Equal(t, ticket, other.Next())
				require.Equal(t, child, other.Split().Next())
			}
		}
	}
}

// What was written by one version is read by all later ones. The text was made by another implementation of the format.
func TestTheFormatOfStatesIsFrozen(t *testing.T) {
	g := resource.NewGenerator(5)
	g.Restore(resource.State{Key: 0x0102030405060708, Sequence: 9, Children: 1 << 40})
	text, err := g.MarshalText()
	require.NoError(t, err)
	require.Equal(t, "d2VmdC5HZW5lcmF0b3IvMQgHBgUEAwIBCQAAAAAAAAAAAAAAAAEAAG9B/ho=", string(text))
}

func TestDamagedStatesAreErrorsThatChangeNothing(t *testing.T) {
	g := resource.NewGenerator(5)
	g.Next()
	before, data := g.State(), marshalled(t, g)
	refused := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, fault.ErrParameter)
		require.Equal(t, before, g.State())
	}
	for bit := range 8 * len(data) {
		damaged := append([]byte{}, data...)
		damaged[bit/8] ^= 1 << (bit % 8)
		refused(g.UnmarshalBinary(damaged))
	}
	for length := range data {
		refused(g.UnmarshalBinary(data[:length]))
	}
	refused(g.UnmarshalBinary(append(append([]byte{}, data...), 0)))
	refused(g.UnmarshalText([]byte("?")))
	refused(g.UnmarshalText(nil))
	require.ErrorContains(t, g.UnmarshalBinary(nil), "state_test.go")
	require.NoError(t, g.UnmarshalBinary(data))
}

func TestSplittingManyIsSplittingOneByOne(t *testing.T) {
	g, h := resource.NewGenerator(3), resource.NewGenerator(3)
	for _, n := range []int{0, 1, 5} {
		for _, child := range g.SplitN(n) {
			require.Equal(t, h.Split().Next(), child.Next())
		}
		require.Equal(t, h.State(), g.State())
	}
	require.Panics(t, func() { g.SplitN(-1) })
}

// A goroutine that restores never makes another one draw a ticket that mixes two states.
func TestRestoringBesideDrawingKeepsTicketsWhole(t *testing.T) {
	g := resource.NewGenerator(1)
	states := []resource.State{{Key: 1, Sequence: 1 << 20}, {Key: 2, Sequence: 1 << 40}}
	g.Restore(states[0])
	var all sync.WaitGroup
	all.Go(func() {
		for i := range 2000 {
			g.Restore(states[i%2])
		}
	})
	tickets := make([][]resource.Ticket, 2)
	for i := range tickets {
		all.Go(func() {
			for range 2000 {
				tickets[i] = append(tickets[i], g.Next())
			}
		})
	}
	all.Wait()
	for _, drawn := range tickets {
		for _, ticket := range drawn {
			from := states[ticket.Key-1].Sequence
			require.True(t, ticket.Sequence >= from && ticket.Sequence < from+1<<13, "%+v", ticket)
		}
	}
}
