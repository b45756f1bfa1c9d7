package bind

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// packageFolders are where Python keeps packages, below the folder of an environment.
var packageFolders = []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/python3/dist-packages", "local/lib/python3*/dist-packages"}

// places returns the names under which a library with one of the given file names may be loaded, in the order in which
// they are tried: files in the folders of WEFT_CUDA_PATH, then the bare names, which the system's linker looks for,
// then the folders into which pip installs NVIDIA's packages.
func places(names []string) (found []string) {
	for _, folder := range filepath.SplitList(os.Getenv(driver.PathVariable)) {
		for _, name := range names {
			if file := filepath.Join(folder, name); exists(file) {
				found = append(found, file)
			}
		}
	}
	found = append(found, names...)
	for _, environment := range environments() {
		for _, folder := range packageFolders {
			for _, name := range names {
				files, _ := filepath.Glob(filepath.Join(environment, folder, "nvidia", "*", "lib", name))
				found = append(found, files...)
			}
		}
	}
	return found
}

// environments are the folders of the Python environments that may be in use.
func environments() (folders []string) {
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if folder := os.Getenv(variable); folder != "" {
			folders = append(folders, folder)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".local"))
	}
	return append(folders, "/usr/local", "/usr")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// missing tells that none of the names could be loaded: the reason of the system for a file that is there, as one of another
// architecture, counts more than that others are not.
func missing(names []string, problems map[string]string) string {
	text := "no " + strings.Join(names, ", ") + " is found by the system's linker, in pip's folders nvidia/*/lib, or in " + driver.PathVariable
	for _, place := range places(names) {
		if problem := problems[place]; problem != "" && exists(place) {
			return "cannot load " + place + ": " + problem
		}
	}
	return text
}
