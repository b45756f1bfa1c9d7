package features

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachVisitsTheLevelsAndRestores(t *testing.T) {
	before := Best
	var visited []Level
	Each(func(level Level) {
		require.Equal(t, level, Best)
		visited = append(visited, level)
	})
	require.Equal(t, before, Best)
	require.Equal(t, []Level{Portable, AVX2, AVX512}[:before+1], visited)
	require.Panics(t, func() { Each(func(Level) { panic("test") }) })
	require.Equal(t, before, Best)
}

func TestOnlyBuildsWithAssemblyHaveLevels(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		require.Equal(t, Portable, Best)
	}
	require.Equal(t, []string{"portable", "avx2", "avx512"}, []string{Portable.String(), AVX2.String(), AVX512.String()})
}

func TestOnlyTheHighestLevelHasTheMatrixUnit(t *testing.T) {
	has := HasMatrixUnit()
	Each(func(level Level) { require.Equal(t, has && level == AVX512, HasMatrixUnit()) })
	var visited []bool
	EachMatrixUnit(func(has bool) {
		require.Equal(t, has, HasMatrixUnit())
		visited = append(visited, has)
	})
	require.Equal(t, []bool{false, true}[:len(visited)], visited)
	require.Equal(t, has, len(visited) == 2)
	require.Equal(t, has, HasMatrixUnit())
}
