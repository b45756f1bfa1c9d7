package main

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Mirrors are public copies of the MNIST files, in the order in which [Download] is best told to ask them.
var Mirrors = []string{
	"https://storage.googleapis.com/cvdf-datasets/mnist/",
	"https://ossci-datasets.s3.amazonaws.com/mnist/",
}

// transferTimeout is how long one file from one mirror may take.
const transferTimeout = 10 * time.Minute

// remoteFile is a gzipped file at a mirror. What is checked is its content, size bytes unpacked, because the same content
// is in circulation packed by different compressors.
type remoteFile struct {
	name   string
	size   int64
	sha256 string
}

var mnistFiles = []remoteFile{
	{"train-images-idx3-ubyte.gz", 47040016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
	{"train-labels-idx1-ubyte.gz", 60008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
	{"t10k-images-idx3-ubyte.gz", 7840016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
	{"t10k-labels-idx1-ubyte.gz", 10008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
}

// Download puts the four gzipped files of MNIST into the folder dir, which it makes if need be. Every file is asked of the
// mirrors, addresses of folders, in their order until one delivers it whole: the SHA-256 of the unpacked content is
// checked before the file gets its name. A file that is there with the right content is kept. What goes on is told to
// progress: by a bar where it is a terminal, by a line for each file elsewhere. The error is one line; it wraps that of
// ctx when ctx is done.
func Download(ctx context.Context, dir string, mirrors []string, progress io.Writer) error {
	return download(ctx, dir, mirrors, mnistFiles, progress)
}

func download(ctx context.Context, dir string, mirrors []string, files []remoteFile, progress io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%w", err)
	}
	for _, file := range files {
		path := filepath.Join(dir, file.name)
		if file.check(path) == nil {
			fmt.Fprintf(progress, "%s is there already\n", path)
			continue
		}
		var failures []string
		for _, mirror := range mirrors {
			address := strings.TrimRight(mirror, "/") + "/" + file.name
			err := file.fetch(ctx, address, path, progress)
			if err == nil {
				failures = nil
				break
			}
			if ctx.Err() != nil {
				return fmt.Errorf("the download of %s was stopped: %w", file.name, context.Cause(ctx))
			}
			failures = append(failures, err.Error())
		}
		if len(failures) > 0 || len(mirrors) == 0 {
			return fmt.Errorf("cannot download %s from any of %d mirrors: %s", file.name, len(mirrors), strings.Join(failures, "; "))
		}
	}
	return nil
}

// fetch transfers address to a temporary file beside path, checks it, and renames it to path.
func (f remoteFile) fetch(ctx context.Context, address, path string, progress io.Writer) (err error) {
	ctx, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: the server says %s", address, response.Status)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), f.name+".*.part")
	if err != nil {
		return err
	}
	defer func() {
		temporary.Close()
		if err != nil {
			os.Remove(temporary.Name())
		}
	}()
	target := io.Writer(temporary)
	terminal := isTerminal(progress)
	if terminal {
		bar := progressbar.NewOptions64(response.ContentLength, progressbar.OptionSetWriter(progress),
			progressbar.OptionSetDescription(f.name), progressbar.OptionSetWidth(20), progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond))
		defer fmt.Fprintln(progress)
		target = io.MultiWriter(temporary, bar)
	}
	// Deflate adds five bytes to a block that it cannot shrink: a longer body cannot be the file.
	limit := f.size + f.size/1000 + 1024
	size, err := io.Copy(target, io.LimitReader(response.Body, limit+1))
	if err != nil {
		return fmt.Errorf("%s: after %d bytes: %w", address, size, err)
	}
	if size > limit {
		return fmt.Errorf("%s: longer than %d bytes", address, limit)
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	if err := f.check(temporary.Name()); err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	if err := os.Chmod(temporary.Name(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return err
	}
	if !terminal {
		fmt.Fprintf(progress, "%s: %.1f MB from %s\n", path, float64(size)/1e6, address)
	}
	return nil
}

// check returns nil when the file at path unpacks to the right content.
func (f remoteFile) check(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("not a gzip file: %w", err)
	}
	sum := sha256.New()
	// One byte beyond the size settles the matter, however much more a hostile file unpacks to.
	size, err := io.Copy(sum, io.LimitReader(unpacked, f.size+1))
	if err != nil {
		return fmt.Errorf("corrupt gzip after %d of %d bytes: %w", size, f.size, err)
	}
	if size > f.size {
		return fmt.Errorf("unpacks to more than %d bytes", f.size)
	}
	if found := hex.EncodeToString(sum.Sum(nil)); found != f.sha256 {
		return fmt.Errorf("unpacks to %d bytes with SHA-256 %s, expected %d with %s", size, found, f.size, f.sha256)
	}
	return nil
}

// isTerminal tells whether someone looks at w as it is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
