package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/data"
)

func pack(t *testing.T, content string, level int) []byte {
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, level)
	require.NoError(t, err)
	_, err = io.WriteString(writer, content)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return packed.Bytes()
}

func describeFile(name, content string) remoteFile {
	sum := sha256.Sum256([]byte(content))
	return remoteFile{name: name, size: int64(len(content)), sha256: hex.EncodeToString(sum[:])}
}

const (
	firstContent  = "the content of the first file"
	secondContent = "what the second file holds"
)

var twoFiles = []remoteFile{describeFile("first.gz", firstContent), describeFile("second.gz", secondContent)}

// mirror serves files by name below /mnist/ and counts the requests.
func mirror(t *testing.T, files map[string][]byte) (address string, requests *atomic.Int64) {
	requests = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if content, found := files[strings.TrimPrefix(r.URL.Path, "/mnist/")]; found {
			w.Write(content)
		} else {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/mnist/", requests
}

func goodMirror(t *testing.T) (address string, requests *atomic.Int64) {
	return mirror(t, map[string][]byte{"first.gz": pack(t, firstContent, 9), "second.gz": pack(t, secondContent, 9)})
}

func names(t *testing.T, dir string) (found []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return found
}

func TestDownloadFetchesWhatIsMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	address, requests := goodMirror(t)
	var out bytes.Buffer
	require.NoError(t, download(t.Context(), dir, []string{address}, twoFiles, &out))
	require.Equal(t, []string{"first.gz", "second.gz"}, names(t, dir))
	require.Equal(t, int64(2), requests.Load())
	first, err := os.ReadFile(filepath.Join(dir, "first.gz"))
	require.NoError(t, err)
	require.Equal(t, pack(t, firstContent, 9), first)
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), address+"second.gz")

	// The same content packed by another compressor is as good; a damaged file is replaced.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "first.gz"), pack(t, firstContent, 0), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "second.gz"), []byte("damaged"), 0o644))
	out.Reset()
	require.NoError(t, download(t.Context(), dir, []string{strings.TrimRight(address, "/")}, twoFiles, &out))
	require.Equal(t, int64(3), requests.Load())
	require.Contains(t, out.String(), "first.gz is there already\n")
	second, err := os.ReadFile(filepath.Join(dir, "second.gz"))
	require.NoError(t, err)
	require.Equal(t, pack(t, secondContent, 9), second)
}

func TestDownloadGoesOnToTheNextMirror(t *testing.T) {
	second := pack(t, secondContent, 9)
	for name, files := range map[string]map[string][]byte{
		"nothing there":     {},
		"wrong content":     {"first.gz": second, "second.gz": second},
		"not a gzip file":   {"first.gz": []byte("<html>sign in first</html>")},
		"corrupt gzip":      {"first.gz": pack(t, firstContent, 9)[:25]},
		"unpacks to more":   {"first.gz": pack(t, firstContent+"!", 9)},
		"far too long":      {"first.gz": make([]byte, 1<<20)},
		"one file of a two": {"first.gz": pack(t, firstContent, 9)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			bad, asked := mirror(t, files)
			good, _ := goodMirror(t)
			require.NoError(t, download(t.Context(), dir, []string{bad, good}, twoFiles, io.Discard))
			require.Equal(t, []string{"first.gz", "second.gz"}, names(t, dir))
			require.Equal(t, int64(2), asked.Load())
			for _, file := range twoFiles {
				require.NoError(t, file.check(filepath.Join(dir, file.name)))
			}
		})
	}
}

func TestDownloadFailsWithOneLineThatNamesEveryReason(t *testing.T) {
	empty, _ := mirror(t, nil)
	other, _ := mirror(t, map[string][]byte{"first.gz": pack(t, "other content of the same name", 9)})
	broken, _ := mirror(t, map[string][]byte{"first.gz": pack(t, strings.Repeat("x", len(firstContent)), 9)})
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	dir := t.TempDir()
	err := download(t.Context(), dir, []string{empty, other, broken, closed.URL}, twoFiles, io.Discard)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\n")
	for _, part := range []string{
		"cannot download first.gz from any of 4 mirrors: ",
		empty + "first.gz: the server says 404 Not Found",
		other + "first.gz: unpacks to more than 29 bytes",
		broken + "first.gz: unpacks to 29 bytes with SHA-256 ",
		"expected 29 with " + twoFiles[0].sha256,
		closed.URL + "/first.gz",
		"dial tcp",
	} {
		require.ErrorContains(t, err, part)
	}
	require.Empty(t, names(t, dir), "temporary files are left")
	require.EqualError(t, download(t.Context(), dir, nil, twoFiles, io.Discard), "cannot download first.gz from any of 0 mirrors: ")
}

func TestDownloadStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte{0x1f, 0x8b})
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	good, requests := goodMirror(t)
	dir := t.TempDir()
	err := download(ctx, dir, []string{server.URL, good}, twoFiles, io.Discard)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "the download of first.gz was stopped: context canceled")
	require.Zero(t, requests.Load(), "a mirror was asked after the end")
	require.Empty(t, names(t, dir))
}

func TestDownloadNamesTheFolderItCannotMake(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.ErrorContains(t, download(t.Context(), filepath.Join(file, "below"), nil, twoFiles, io.Discard), file)
}

func TestDownloadOfTheRealFilesIsWhatLoadMNISTReads(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir(realMNIST(t))))
	defer server.Close()
	target := t.TempDir()
	require.NoError(t, Download(t.Context(), target, []string{server.URL}, io.Discard))
	train, test, err := data.LoadMNIST(target)
	require.NoError(t, err)
	require.Equal(t, 60000, train.Images.Count)
	require.Equal(t, 10000, test.Images.Count)
	t.Logf("downloaded the real MNIST from a local server")
}
