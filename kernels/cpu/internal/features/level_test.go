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

func TestOnlyTheHighestLevelHasInstructionsForNarrowNumbers(t *testing.T) {
	matrixUnit, bfloat16 := HasMatrixUnit(), HasBFloat16()
	Each(func(level Level) {
		require.Equal(t, matrixUnit && level == AVX512, HasMatrixUnit())
		require.Equal(t, bfloat16 && level == AVX512, HasBFloat16())
	})
	var visited [][2]bool
	EachNarrow(func() { visited = append(visited, [2]bool{HasBFloat16(), HasMatrixUnit()}) })
	want := [][2]bool{{}}
	if bfloat16 {
		want = append(want, [2]bool{true, false})
	}
	if matrixUnit {
		want = append(want, [2]bool{bfloat16, true})
	}
	require.Equal(t, want, visited)
	require.Equal(t, []bool{bfloat16, matrixUnit}, []bool{HasBFloat16(), HasMatrixUnit()})
}
