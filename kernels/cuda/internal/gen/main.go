// Gen compiles the kernels of package ptx, C++ without any header of CUDA, to PTX by clang, and has them assembled where there is
// a ptxas. It is run at the root of the module; with -check it writes nothing, names the files that are not current, and exits
// with status 1 if there are any. PTX is compressed, and begins with a hash of its sources: so whether it is current is known without
// clang, too.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

const folder = "kernels/cuda/internal/ptx"

// compiler is the one whose output is checked in; another writes the same in other words.
const compiler = "clang-14"

// The oldest processors that are supported have compute capability 7.0. Products and sums are not fused where the sources do not say so.
var options = strings.Fields("-x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -Xclang -target-feature -Xclang +ptx63 " +
	"-std=c++17 -ffp-contract=off -fwrapv -O3 -S -o -")

func main() {
	check := flag.Bool("check", false, "name files that are not current instead of writing them")
	flag.Parse()
	stale, err := generate(*check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(2)
	}
	for _, path := range stale {
		fmt.Fprintln(os.Stderr, "gen:", path, "is not current: run make ptx")
	}
	if len(stale) > 0 {
		os.Exit(1)
	}
}

func generate(check bool) (stale []string, err error) {
	sources, err := filepath.Glob(filepath.Join(folder, "*.cu"))
	if err != nil || len(sources) == 0 {
		return nil, fmt.Errorf("there are no sources in %s: %v", folder, err)
	}
	_, missing := exec.LookPath(compiler)
	if missing != nil && !check {
		return nil, fmt.Errorf("%s is not there: apt-get install %s", compiler, compiler)
	}
	isStale, failed := make([]bool, len(sources)), make([]error, len(sources))
	places := make(chan struct{}, runtime.NumCPU()) // of compilers at a time
	var compiling sync.WaitGroup
	for i, source := range sources {
		compiling.Go(func() {
			places <- struct{}{}
			isStale[i], failed[i] = update(source, check, missing == nil)
			<-places
		})
	}
	compiling.Wait()
	for i, source := range sources {
		if isStale[i] {
			stale = append(stale, compiledName(source))
		}
	}
	return stale, errors.Join(failed...)
}

func compiledName(source string) string { return strings.TrimSuffix(source, ".cu") + ".ptx.gz" }

// update compiles a source, if it can, and writes the PTX if that is new. If it checks, or cannot, it reports whether the PTX is not current.
func update(source string, check, compiles bool) (stale bool, err error) {
	path := compiledName(source)
	hash, err := ptx.Hash(os.DirFS(folder), filepath.Base(source))
	if err != nil {
		return false, err
	}
	current, _ := os.ReadFile(path)
	text, _ := ptx.Decompress(current)
	if !compiles {
		return !strings.HasPrefix(text, hash), nil
	}
	compiled, err := compile(source)
	fresh := hash + compiled
	if err != nil || fresh == text {
		return false, err
	}
	if check {
		return true, nil
	}
	return false, os.WriteFile(path, compress(fresh), 0o644)
}

// compile returns the PTX of a source, which is assembled, too, where there is a ptxas.
func compile(source string) (string, error) {
	var out, problems bytes.Buffer
	c := exec.Command(compiler, append(options, source)...)
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", source, err, problems.String())
	}
	if strings.Contains(out.String(), ".local") {
		return "", fmt.Errorf("%s: a kernel copies its arguments to local memory: read them before a choice, not in it", source)
	}
	return out.String(), assemble(source, out.String())
}

func assemble(source, text string) error {
	assembler, err := exec.LookPath("ptxas")
	if err != nil {
		return nil // where there is none
	}
	c := exec.Command(assembler, "-arch=sm_70", "-o", os.DevNull, "/dev/stdin")
	c.Stdin = strings.NewReader(text)
	if message, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: ptxas: %w\n%s", source, err, message)
	}
	return nil
}

func compress(text string) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = w.Write([]byte(text)) // to memory
	_ = w.Close()
	return out.Bytes()
}
