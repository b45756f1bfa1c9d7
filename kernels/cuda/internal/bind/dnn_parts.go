//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ebitengine/purego"
)

// dnnParts are the libraries beside cuDNN that convolutions take, by its major version: libcudnn_ops.so.9 and so on. It loads them when it
// first needs them, and ends the process where one does not load.
var dnnParts = map[int][]string{
	8: {"ops_infer", "ops_train", "cnn_infer", "cnn_train"},
	9: {"graph", "ops", "engines_precompiled", "engines_runtime_compiled", "heuristic", "cnn"},
}

// checkParts returns an error that names the libraries beside cuDNN, which is in file and of the version text, that are missing or of
// other versions.
func (d *dnnLibrary) checkParts(file string, version int, text string) error {
	folders := []string{filepath.Dir(file), filepath.Dir(fileAt(d.calls.GetVersion.address))}
	var problems []string
	for _, part := range dnnParts[d.major] {
		name := fmt.Sprintf("libcudnn_%s.so.%d", part, d.major)
		if err := checkPart(folders, name, version, text); err != nil {
			problems = append(problems, err.Error())
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(problems, ", "))
}

// checkPart loads a library as cuDNN does: from its folders, or from where the system's linker finds it.
func checkPart(folders []string, name string, version int, text string) error {
	place := name
	for _, folder := range folders {
		if file := filepath.Join(folder, name); place == name && filepath.IsAbs(file) && exists(file) {
			place = file
		}
	}
	handle, err := purego.Dlopen(place, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		if strings.HasPrefix(err.Error(), name+": cannot open shared object file: No such file") { // and not a library that it needs
			return fmt.Errorf("%s is missing", name)
		}
		return fmt.Errorf("%s does not load: %w", name, err)
	}
	if own := versionInName(place); own != "" && own != text {
		return fmt.Errorf("%s is of version %s", name, own)
	}
	if address, err := purego.Dlsym(handle, "cudnnGetVersion"); err == nil {
		if own := int((symbol{"cudnnGetVersion", address}).call()); own != version {
			return fmt.Errorf("%s is of version %s", name, formatDNNVersion(own))
		}
	}
	return nil
}

// versionInName returns what is behind .so in the name of the file that place is a link to, if that is a whole version.
func versionInName(place string) string {
	file, err := filepath.EvalSymlinks(place)
	if err != nil {
		return ""
	}
	_, version, _ := strings.Cut(filepath.Base(file), ".so.")
	if strings.Count(version, ".") != 2 {
		return ""
	}
	return version
}

// fileAt returns the file that is mapped at an address of the process; empty if there is none.
func fileAt(address uintptr) string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(maps)) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 6) // of which the last, the path, is behind more spaces
		low, high, _ := strings.Cut(fields[0], "-")
		from, errFrom := strconv.ParseUint(low, 16, 64)
		to, errTo := strconv.ParseUint(high, 16, 64)
		if errFrom == nil && errTo == nil && len(fields) == 6 && uint64(address) >= from && uint64(address) < to {
			return strings.TrimSpace(fields[5])
		}
	}
	return ""
}
