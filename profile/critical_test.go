package profile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheCriticalPathFollowsCausesToTheLastEnd(t *testing.T) {
	for seed := range uint64(20) {
		records := run(seed, 80, 3)
		last := records[len(records)-1]
		l := logOf(records)
		late := wait(0, last.End+1000, last.Number)
		l.Observe(&late)
		path := l.CriticalPath()
		require.NotEmpty(t, path)
		require.Equal(t, last.End, path[len(path)-1].End)
		require.Zero(t, path[0].Cause)
		for i := 1; i < len(path); i++ {
			require.Equal(t, path[i-1].Number, path[i].Cause)
			require.Equal(t, path[i-1].End, path[i].Ready)
		}
	}
}

func TestTheCriticalPathEndsWhereRecordsAreMissing(t *testing.T) {
	require.Empty(t, New(0).CriticalPath())
	for name, test := range map[string]struct {
		records []Record
		path    []uint64
	}{
		"dropped":   {[]Record{{Number: 5, Cause: 4, End: 1}, {Number: 6, Cause: 5, End: 2}}, []uint64{5, 6}},
		"itself":    {[]Record{{Number: 5, Cause: 5, End: 1}}, []uint64{5}},
		"circle":    {[]Record{{Number: 5, Cause: 6, End: 1}, {Number: 6, Cause: 5, End: 2}}, []uint64{5, 6}},
		"only wait": {[]Record{wait(0, 5, 1)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var numbers []uint64
			for _, r := range logOf(test.records).CriticalPath() {
				numbers = append(numbers, r.Number)
			}
			require.Equal(t, test.path, numbers)
		})
	}
}
