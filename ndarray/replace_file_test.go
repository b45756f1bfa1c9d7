package ndarray_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// savers are the functions that write files.
var savers = map[string]func(path string, a *nd.Array) error{
	"npy": nd.SaveNPY,
	"npz": func(path string, a *nd.Array) error { return nd.SaveNPZ(path, map[string]*nd.Array{"a": a}) },
}

// loaders read what savers wrote.
var loaders = map[string]func(path string) (*nd.Array, error){
	"npy": nd.LoadNPY,
	"npz": func(path string) (*nd.Array, error) {
		arrays, err := nd.LoadNPZ(path)
		return arrays["a"], err
	},
}

// names returns the names of the files in a folder.
func names(t *testing.T, folder string) (found []string) {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return found
}

func TestFilesAreReplacedAsAWholeOrNotAtAll(t *testing.T) {
	failed := floats(2).Take(nd.FromSlice([]int64{5}), 0)
	for format, save := range savers {
		folder := t.TempDir()
		path := filepath.Join(folder, "a")
		require.ErrorIs(t, save(path, failed), fault.ErrIndex, format)
		require.Empty(t, names(t, folder), format)
		require.NoError(t, save(path, floats(2, 3).T()), format)
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		require.ErrorIs(t, save(path, failed), fault.ErrIndex, format)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, before, after, format)
		require.NoError(t, save(path, floats(700, 500)), format)
		require.Equal(t, []string{"a"}, names(t, folder), format)
		loaded, err := loaders[format](path)
		require.NoError(t, err)
		require.Equal(t, floats(700, 500).String(), loaded.String(), format)
	}
}

func TestPermissionsAndLinksStay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions and links are other there")
	}
	for format, save := range savers {
		folder := t.TempDir()
		path, link := filepath.Join(folder, "a"), filepath.Join(folder, "link")
		require.NoError(t, os.Symlink("a", link))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chmod(path, 0o640))
		require.NoError(t, save(link, floats(3)), format)
		info, err := os.Lstat(path)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o640), info.Mode(), format)
		info, err = os.Lstat(link)
		require.NoError(t, err)
		require.Equal(t, fs.ModeSymlink, info.Mode().Type(), format)
		loaded, err := loaders[format](link)
		require.NoError(t, err)
		require.Equal(t, "[0. 1. 2.]", loaded.String(), format)
		require.NoError(t, save(os.DevNull, floats(3)), format)
		info, err = os.Lstat(os.DevNull)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&fs.ModeDevice, format)
	}
}

func TestErrorsOfFilesNameThem(t *testing.T) {
	folder := t.TempDir()
	missing, text := filepath.Join(folder, "no", "a"), filepath.Join(folder, "text")
	require.NoError(t, os.WriteFile(text, []byte("hello"), 0o600))
	for format := range savers {
		err := savers[format](missing, floats(1))
		require.ErrorIs(t, err, fs.ErrNotExist, format)
		require.Regexp(t, `^weft: (Save|Load)`, err)
		require.ErrorContains(t, err, missing)
		_, err = loaders[format](missing)
		require.ErrorIs(t, err, fs.ErrNotExist, format)
		_, err = loaders[format](text)
		require.ErrorIs(t, err, nd.ErrFormat, format)
		require.ErrorContains(t, err, text)
		require.ErrorContains(t, err, "replace_file_test.go:")
		require.Error(t, savers[format](folder, floats(1)), format)
		err = savers[format]("", floats(1))
		require.ErrorIs(t, err, fs.ErrNotExist, format)
		require.ErrorContains(t, err, `open "": `, format)
	}
	require.Equal(t, []string{"text"}, names(t, folder))
	_, err := nd.LoadNPY(folder)
	require.Error(t, err, "a folder")
}
