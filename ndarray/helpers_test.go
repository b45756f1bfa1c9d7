package ndarray_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// values returns the elements of a, which must not be in error.
func values[T dtype.Element](t *testing.T, a *nd.Array) []T {
	t.Helper()
	elements, err := nd.Values[T](a)
	require.NoError(t, err)
	return elements
}

// mistake returns the *nd.Error that f panics with.
func mistake(t *testing.T, f func()) *nd.Error {
	t.Helper()
	err := nd.Try(f)
	require.Error(t, err)
	var typed *nd.Error
	require.ErrorAs(t, err, &typed)
	return typed
}

// lineOf returns where f, written on one line, is: "file_test.go:12".
func lineOf(f func()) string {
	entry := reflect.ValueOf(f).Pointer()
	file, line := runtime.FuncForPC(entry).FileLine(entry)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// floats returns the numbers 0, 1, … in an array of the given shape.
func floats(shape ...int) *nd.Array {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return nd.Arange(0, float32(count), 1).Reshape(shape...)
}
