package vars

import (
	"expvar"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
)

func TestPublishingAgainReplaces(t *testing.T) {
	const name = "weft.profile.replaced"
	Publish(name, func() any { return map[string]int{"operations": 1} })
	require.JSONEq(t, `{"operations":1}`, expvar.Get(name).String())
	Publish(name, func() any { return 2 })
	require.Equal(t, "2", expvar.Get(name).String())
	Publish(name, nil)
	require.Equal(t, "null", expvar.Get(name).String())
}

func TestPublishMayRaceWithItselfAndReaders(t *testing.T) {
	const name = "weft.profile.raced"
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 200 {
				Publish(name, func() any { return i })
				require.Contains(t, "01234567", expvar.Get(name).String())
			}
		})
	}
	group.Wait()
}

func TestANameOfAnotherPackageIsRefused(t *testing.T) {
	const name = "weft.profile.foreign"
	if expvar.Get(name) == nil { // the tests may run more than once
		expvar.NewInt(name)
	}
	defer func() {
		err, ok := recover().(error)
		require.True(t, ok)
		require.ErrorIs(t, err, fault.ErrMisuse)
		require.Contains(t, fmt.Sprint(err), name)
	}()
	Publish(name, func() any { return 1 })
}
