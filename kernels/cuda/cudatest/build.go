//go:build linux && (amd64 || arm64)

package cudatest

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

//go:embed fake/*
var fake embed.FS

// options of the compiler: the bits of results are those of the kernels; more than -Og takes longer than tests gain by it. Fortified functions
// are not used, because block.cc goes from one stack to another by longjmp, which they take for a mistake and end the process.
var options = []string{"-DHOST", "-std=c++17", "-Og", "-fPIC", "-ffp-contract=off", "-fwrapv", "-w", "-U_FORTIFY_SOURCE"}

// library compiles the fake driver, if it is not there yet, and returns its path.
var library = sync.OnceValues(func() (string, error) {
	compiler, err := findCompiler()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, compiler, options)
	sources := map[string][]byte{}
	for _, from := range []fs.FS{fake, ptx.Sources} {
		err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(from, name)
			sources[path.Base(name)] = text
			fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	done := filepath.Join(os.TempDir(), fmt.Sprintf("weft-fake-cuda-%x.so", sum.Sum(nil)[:12]))
	lock, err := os.OpenFile(done+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil { // Tests of other packages may be compiling it.
		return "", err
	}
	if _, err := os.Stat(done); err == nil {
		return done, nil
	}
	return done, compile(compiler, sources, done)
})

// findCompiler returns a C++ compiler for the processor of this program, which an emulator may run.
func findCompiler() (string, error) {
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	for _, name := range []string{machine + "-linux-gnu-g++", "g++", "c++"} {
		found, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if made, err := exec.Command(found, "-dumpmachine").Output(); err == nil && strings.HasPrefix(string(made), machine+"-") {
			return found, nil
		}
	}
	return "", fmt.Errorf("the fake CUDA driver needs a C++ compiler for %s: apt-get install g++", machine)
}

// compile makes the library done of sources, which appears when it is whole.
func compile(compiler string, sources map[string][]byte, done string) error {
	folder, err := os.MkdirTemp("", "weft-fake-cuda")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var group sync.WaitGroup
	var mutex sync.Mutex
	var objects []string
	free := make(chan struct{}, runtime.NumCPU())
	sources["nvrtc_text.h"] = fmt.Appendf(nil, "static const char nvrtcText[] = R\"text(%s)text\";\n", sources["nvrtc.h"])
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	for name := range sources {
		if ext := path.Ext(name); ext != ".cu" && ext != ".cc" {
			continue
		}
		objects = append(objects, name+".o")
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			c := exec.Command(compiler, append(slices.Clip(options), "-DCOMPILER=\""+compiler+"\"", "-x", "c++", "-c", name, "-o", name+".o")...)
			c.Dir = folder
			if message, problem := c.CombinedOutput(); problem != nil {
				mutex.Lock()
				err = fmt.Errorf("%s: %w\n%s", name, problem, message)
				mutex.Unlock()
			}
		})
	}
	if group.Wait(); err != nil {
		return err
	}
	c := exec.Command(compiler, append(objects, "-shared", "-pthread", "-ldl", "-o", "fake.so")...)
	c.Dir = folder
	if message, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("linking: %w\n%s", err, message)
	}
	return publish(filepath.Join(folder, "fake.so"), done)
}

// publish copies a file to where others look for it, in one step.
func publish(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(to), "weft-fake-cuda")
	if err != nil {
		return err
	}
	if _, err := part.Write(text); err != nil {
		return err
	}
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), to)
}
