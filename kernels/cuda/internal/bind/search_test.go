package bind

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

func TestLibrariesAreLookedForWhereTheUserSaysThenByNameThenWherePipInstalls(t *testing.T) {
	own, environment := t.TempDir(), t.TempDir()
	pip := filepath.Join(environment, "lib", "python3.12", "site-packages", "nvidia", "cublas", "lib")
	require.NoError(t, os.MkdirAll(pip, 0o755))
	for _, file := range []string{filepath.Join(own, "libcublas.so.12"), filepath.Join(pip, "libcublas.so.12"), filepath.Join(pip, "libcublas.so.11")} {
		require.NoError(t, os.WriteFile(file, nil, 0o644))
	}
	t.Setenv(driver.PathVariable, own+string(os.PathListSeparator)+filepath.Join(own, "absent"))
	t.Setenv("VIRTUAL_ENV", environment)
	t.Setenv("CONDA_PREFIX", "")
	require.Equal(t, []string{
		filepath.Join(own, "libcublas.so.12"), "libcublas.so.12", "libcublas.so.11", filepath.Join(pip, "libcublas.so.12"), filepath.Join(pip, "libcublas.so.11"),
	}, places([]string{"libcublas.so.12", "libcublas.so.11"})[:5])
}

func TestAFileThatIsNoLibraryIsNamed(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "libcuda.so.1")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o644))
	t.Setenv(driver.PathVariable, folder)
	require.Equal(t, "cannot load "+file+": invalid ELF header", missing([]string{"libcuda.so.1"}, map[string]string{file: "invalid ELF header"}))
	require.Contains(t, missing([]string{"libcuda.so.1"}, nil), "no libcuda.so.1 is found")
}
