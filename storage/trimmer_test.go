package storage

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
)

// keeping are managers that keep memory, each with its trimmer.
var keeping = map[string]func(from *watchedSource) (Manager, *trimmer){
	"bestfit": func(from *watchedSource) (Manager, *trimmer) {
		m := newBestFit(device.CPU(0), from)
		return m, &m.trimmer
	},
	"rounded": func(from *watchedSource) (Manager, *trimmer) {
		m := newRounded(device.CPU(0), from, roundToClass, 2)
		return m, &m.trimmer
	},
}

// onFakeTime runs test with every kind, by a clock that moves when all sleep.
func onFakeTime(t *testing.T, test func(t *testing.T, m Manager, trimmer *trimmer, from *watchedSource)) {
	for name, newKeeping := range keeping {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from := newWatchedSource()
				m, trimmer := newKeeping(from)
				test(t, m, trimmer, from)
			})
		})
	}
}

func allocateOf(t *testing.T, m Manager, bytes int) Memory {
	t.Helper()
	memory, err := m.Allocate(bytes)
	require.NoError(t, err)
	return memory
}

const moment = time.Millisecond

func TestIdleProcessGivesItsMemoryBack(t *testing.T) {
	onFakeTime(t, func(t *testing.T, m Manager, trimmer *trimmer, from *watchedSource) {
		for _, pause := range []time.Duration{0, TrimAge / 3, TrimAge, 5*TrimAge + moment} {
			looks := 0
			inner := trimmer.trim
			trimmer.trim = func() bool { looks++; return inner() }
			memory := allocateOf(t, m, 3<<20)
			small := allocateOf(t, m, 5000)
			time.Sleep(pause)
			m.Free(memory)
			m.Free(small)
			kept := m.Stats().Cached
			require.NotZero(t, kept)
			time.Sleep(TrimAge - moment)
			synctest.Wait()
			require.Equal(t, kept, m.Stats().Cached, "it is not unused for long enough")
			time.Sleep(TrimAge + 2*moment)
			synctest.Wait()
			require.Zero(t, m.Stats().Cached)
			require.Empty(t, from.mapped)
			require.LessOrEqual(t, looks, 3+int(pause/TrimAge))
			looks = 0
			time.Sleep(10 * TrimAge)
			synctest.Wait()
			require.Zero(t, looks, "there is nothing to look after")
			require.False(t, trimmer.armed.Load())
			trimmer.trim = inner
		}
	})
}

// While some memory is used again and again, other memory that is not goes back.
func TestUnusedMemoryOfABusyProcessGoesBack(t *testing.T) {
	onFakeTime(t, func(t *testing.T, m Manager, _ *trimmer, _ *watchedSource) {
		var many []Memory // more than a front keeps
		for range 8 {
			many = append(many, allocateOf(t, m, 8<<20))
		}
		for _, memory := range many {
			m.Free(memory)
		}
		require.EqualValues(t, 64<<20, m.Stats().Cached)
		for range 30 {
			for range 2 {
				m.Free(allocateOf(t, m, 1<<20))
			}
			time.Sleep(TrimAge / 10)
		}
		require.NotZero(t, m.Stats().Cached)
		require.LessOrEqual(t, m.Stats().Cached, int64(2*runtime.GOMAXPROCS(0)+2)<<20, "one in each front at most")
		m.Trim()
	})
}

// A manager that nobody knows any more is not kept by its trimmer.
func TestDroppedManagersAreCollected(t *testing.T) {
	for name, newKeeping := range keeping {
		t.Run(name, func(t *testing.T) {
			var dropped []func() bool
			from := newWatchedSource()
			synctest.Test(t, func(t *testing.T) {
				func() {
					m, trimmer := newKeeping(from)
					pointer := weak.Make(trimmer) // a part keeps the whole
					dropped = append(dropped, func() bool { return pointer.Value() == nil })
					m.Free(allocateOf(t, m, 1<<20))
				}()
				time.Sleep(3 * TrimAge)
				synctest.Wait()
			})
			require.Empty(t, from.mapped)
			for range 100 {
				if runtime.GC(); dropped[0]() {
					return
				}
			}
			t.Fatal("something keeps the manager")
		})
	}
}

// What is used again and again does not keep the rest of its mapping, which it was divided from.
func TestUnusedMemoryGoesBackFromBesideWhatIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newBestFit(device.CPU(0), newWatchedSource())
		m.fronts.all = m.fronts.all[:1] // which keeps one large array, and not three
		m.Free(allocateOf(t, m, 48<<20))
		for range 50 {
			var used []Memory
			for range 3 {
				used = append(used, allocateOf(t, m, 5<<20))
			}
			for _, memory := range used {
				m.Free(memory)
			}
			time.Sleep(TrimAge / 10)
		}
		require.LessOrEqual(t, m.Stats().Cached, int64(3*5<<20))
		m.Trim()
	})
}
