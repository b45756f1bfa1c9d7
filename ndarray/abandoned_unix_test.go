//go:build linux || darwin

package ndarray_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// writing calls during while a save to the file a in folder is at work: it waits for the elements, which during holds.
func writing(t *testing.T, folder string, during func()) {
	x := floats(100)
	held, saved := make(chan struct{}), make(chan error, 1)
	go func() {
		<-held
		saved <- nd.SaveNPY(filepath.Join(folder, "a"), x)
	}()
	require.NoError(t, nd.Write(t.Context(), x, func([]float32) error {
		close(held)
		for unfinished(t, folder) == "" { // until the save has begun
		}
		during()
		return nil
	}))
	require.NoError(t, <-saved)
}

// unfinished returns the path of a file in folder that a save is writing; "" if there is none.
func unfinished(t *testing.T, folder string) string {
	for _, name := range names(t, folder) {
		if strings.HasPrefix(name, ".weft-") {
			return filepath.Join(folder, name)
		}
	}
	return ""
}

func TestWhatAKilledWriterLeavesIsRemovedByTheNext(t *testing.T) {
	if folder := os.Getenv("WEFT_TEST_KILLED_IN"); folder != "" {
		writing(t, folder, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) })
	}
	folder := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), "WEFT_TEST_KILLED_IN="+folder)
	err := child.Run()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator runs this test, but cannot start another program: ", err)
	}
	require.Error(t, err)
	require.Len(t, names(t, folder), 1)
	require.NotEqual(t, "a", names(t, folder)[0])
	require.NoError(t, nd.SaveNPY(filepath.Join(folder, "a"), floats(3)))
	require.Equal(t, []string{"a"}, names(t, folder))
}

func TestWritersOfOneFileDoNotTakeEachOtherForAbandoned(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	writing(t, folder, func() {
		for range 3 {
			require.NoError(t, nd.SaveNPY(path, floats(3)))
		}
		require.Len(t, names(t, folder), 2, "the file, and the one that is being written")
	})
	loaded, err := nd.LoadNPY(path)
	require.NoError(t, err)
	require.Equal(t, []int{100}, loaded.Shape(), "the last to end stays")
	done := make(chan error)
	for range 4 {
		go func() {
			for range 50 {
				if err := nd.SaveNPY(path, floats(7)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		require.NoError(t, <-done)
	}
	require.Equal(t, []string{"a"}, names(t, folder))
	require.NoError(t, loaded.Wait(context.Background()))
}
