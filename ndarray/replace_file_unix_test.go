//go:build linux || darwin

package ndarray_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

func TestNobodyElseReadsWhatReplacesAFileWhileItIsWritten(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	for _, permissions := range []fs.FileMode{0o600, 0o640, 0o644} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chmod(path, permissions))
		writing(t, folder, func() {
			info, err := os.Stat(unfinished(t, folder))
			require.NoError(t, err)
			require.Equal(t, fs.FileMode(0o600), info.Mode())
		})
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, permissions, info.Mode())
	}
}

func TestAFileKeepsItsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	path := filepath.Join(t.TempDir(), "a")
	for format, save := range savers {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chown(path, 1234, 5678))
		require.NoError(t, save(path, floats(3)), format)
		info, err := os.Stat(path)
		require.NoError(t, err)
		owner := info.Sys().(*syscall.Stat_t)
		require.Equal(t, []uint32{1234, 5678}, []uint32{owner.Uid, owner.Gid}, format)
	}
}

func TestAPipeIsWrittenByTheNameOfItsDescriptor(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, nd.SaveNPY(fmt.Sprintf("/dev/fd/%d", w.Fd()), floats(3)))
	require.NoError(t, w.Close())
	a, err := nd.ReadNPY(r)
	require.NoError(t, err)
	require.Equal(t, "[0. 1. 2.]", a.String())
}

func TestLinksToWhatIsNotThereYetAreFollowed(t *testing.T) {
	for name, c := range map[string]struct{ path, want string }{
		"a link":                      {"link", "later"},
		"a link to a link":            {"second", "later"},
		"from its root":               {"rooted", "later"},
		"to another folder":           {"inner", "real/deep/later"},
		"above the folder of another": {"alias/up", "real/later"},
	} {
		folder := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "real", "deep"), 0o700))
		for link, target := range map[string]string{
			"link": "later", "second": "link", "rooted": filepath.Join(folder, "later"), "inner": "real/deep/later", "alias": "real/deep", "real/deep/up": "../later",
		} {
			require.NoError(t, os.Symlink(target, filepath.Join(folder, link)))
		}
		path := filepath.Join(folder, c.path)
		require.NoError(t, nd.SaveNPY(path, floats(3)), name)
		info, err := os.Lstat(path)
		require.NoError(t, err)
		require.Equal(t, fs.ModeSymlink, info.Mode().Type(), name)
		a, err := nd.LoadNPY(filepath.Join(folder, c.want))
		require.NoError(t, err, name)
		require.Equal(t, "[0. 1. 2.]", a.String(), name)
	}
}
