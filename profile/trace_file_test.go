package profile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func read(t *testing.T, path string) []event {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return eventsIn(t, text)
}

func TestATraceFileIsWholeAfterEveryFlush(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	trace, err := OpenTrace(path)
	require.NoError(t, err)
	require.Len(t, read(t, path), 1, "the name of the process")
	records := run(1, 500, 3)
	var want bytes.Buffer
	require.NoError(t, logOf(records).WriteTrace(&want))
	for at := 0; at < len(records); at += 50 {
		observe(trace, records[at:at+50])
		require.NoError(t, trace.Flush())
		require.Len(t, ofPhase(read(t, path), "X"), at+50)
	}
	require.NoError(t, trace.Flush())
	require.NoError(t, trace.Close())
	require.Equal(t, eventsIn(t, want.Bytes()), read(t, path))
}

func TestATraceFileEndsWithClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	trace, err := OpenTrace(path)
	require.NoError(t, err)
	observe(trace, run(1, 20, 2))
	require.NoError(t, trace.Close())
	require.NoError(t, trace.Close())
	observe(trace, run(2, 20, 2))
	require.ErrorIs(t, trace.Flush(), errClosed)
	require.Len(t, ofPhase(read(t, path), "X"), 20)
}

func TestATraceThatCannotBeOpenedIsAnError(t *testing.T) {
	_, err := OpenTrace(filepath.Join(t.TempDir(), "no such folder", "trace.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The background goroutine writes on its own; nothing here calls Flush.
func TestATraceIsWrittenWhileTheProgramRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	trace, err := OpenTrace(path)
	require.NoError(t, err)
	defer trace.Close()
	observe(trace, run(1, 30, 2))
	require.Eventually(t, func() bool { return trace.written.Load() == 30 }, 20*time.Second, flushInterval/10)
	require.NoError(t, trace.Flush())
	require.Len(t, ofPhase(read(t, path), "X"), 30)
}

func TestATraceMayBeUsedByManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	trace, err := OpenTrace(path)
	require.NoError(t, err)
	const goroutines, each = 4, 3000
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range each {
				start := time.Duration(i) * 10
				trace.Observe(&Record{Number: uint64(g*each + i + 1), Name: "add", Lane: fmt.Sprint("worker ", g), Start: start, End: start + 5})
				if i%1000 == 0 {
					if err := trace.Flush(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	require.NoError(t, trace.Close())
	var numbers []uint64
	for _, e := range ofPhase(read(t, path), "X") {
		numbers = append(numbers, e.Arguments.Number)
	}
	slices.Sort(numbers)
	require.Len(t, numbers, goroutines*each)
	require.Equal(t, uint64(goroutines*each), numbers[len(numbers)-1])
	require.Len(t, slices.Compact(numbers), goroutines*each)
}

// disk is a file in memory that takes so many bytes, and no more; a write that does not fit is cut.
type disk struct {
	mu     sync.Mutex
	data   []byte
	room   int
	closed int
}

func (d *disk) WriteAt(data []byte, offset int64) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fits := min(len(data), d.room-int(offset))
	if need := int(offset) + fits - len(d.data); need > 0 {
		d.data = append(d.data, make([]byte, need)...)
	}
	copy(d.data[offset:], data[:fits])
	if fits < len(data) {
		return fits, errFull
	}
	return fits, nil
}

func (d *disk) Truncate(size int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.data = d.data[:size]
	return nil
}

func (d *disk) Close() error { d.closed++; return nil }

func TestAFullDiskEndsTheTraceAndLeavesItWhole(t *testing.T) {
	var reports bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&reports, nil)))
	d := &disk{room: 4000}
	trace, err := newTrace(d, "full.json")
	require.NoError(t, err)
	records := run(1, 100, 2)
	observe(trace, records[:5])
	require.NoError(t, trace.Flush())
	observe(trace, records[5:])
	require.ErrorIs(t, trace.Flush(), errFull)
	require.ErrorIs(t, trace.Flush(), errFull)
	observe(trace, records)
	require.ErrorIs(t, trace.Close(), errFull)
	require.ErrorIs(t, trace.Close(), errFull)
	require.Equal(t, 1, d.closed)
	require.Len(t, ofPhase(eventsIn(t, d.data), "X"), 5)
	require.Equal(t, 1, strings.Count(reports.String(), "full.json"), "reported once")
	require.Contains(t, reports.String(), errFull.Error())
}

func TestWhatASlowFileMissesIsMarked(t *testing.T) {
	d := &disk{room: 1 << 30}
	trace := &Trace{waiting: New(100), file: d, events: newEvents(1000)}
	records := run(1, 300, 2)
	observe(trace, records[:50])
	require.NoError(t, trace.Flush())
	observe(trace, records[50:])
	require.NoError(t, trace.Flush())
	events := eventsIn(t, d.data)
	require.Len(t, ofPhase(events, "X"), 150)
	marks := ofPhase(events, "i")
	require.Len(t, marks, 1)
	require.True(t, strings.HasPrefix(marks[0].Name, "150 records were lost"))
}

const victim = "PROFILE_TEST_VICTIM"

// TestMain makes this binary the program that is killed, if it is asked to.
func TestMain(m *testing.M) {
	if path := os.Getenv(victim); path != "" {
		live(path)
	}
	os.Exit(m.Run())
}

// live traces without end, and tells how many records are flushed.
func live(path string) {
	trace, err := OpenTrace(path)
	if err != nil {
		panic(err)
	}
	for n := uint64(1); ; n++ {
		start := Now()
		trace.Observe(&Record{Number: n, Name: "add", Lane: "worker 0", Start: start, End: start + 1, Cause: n - 1})
		if n%500 == 0 {
			if err := trace.Flush(); err != nil {
				panic(err)
			}
			fmt.Println(n)
		}
	}
}

func TestWhatWasFlushedOutlivesAKill(t *testing.T) {
	executable, err := os.Executable()
	require.NoError(t, err)
	for range 5 {
		path := filepath.Join(t.TempDir(), "trace.json")
		program := exec.Command(executable)
		program.Env = append(os.Environ(), victim+"="+path)
		output, err := program.StdoutPipe()
		require.NoError(t, err)
		if err := program.Start(); errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulator runs this test, but cannot start another program: ", err)
		} else {
			require.NoError(t, err)
		}
		lines := bufio.NewReader(output)
		for range 4 {
			_, err := lines.ReadString('\n')
			require.NoError(t, err)
		}
		require.NoError(t, program.Process.Kill())
		rest, err := io.ReadAll(lines)
		require.NoError(t, err)
		require.Error(t, program.Wait())
		flushed := 2000
		if told := strings.Fields(string(rest)); len(told) > 1 {
			flushed, err = strconv.Atoi(told[len(told)-2]) // the last number may be cut
			require.NoError(t, err)
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		numbers := ofPhase(eventsIn(t, mended(text)), "X")
		require.GreaterOrEqual(t, len(numbers), flushed)
		for i, e := range numbers {
			require.Equal(t, uint64(i+1), e.Arguments.Number)
		}
	}
}

// mended is what viewers make of an array whose last write was cut: the events that are whole. They stand one to a line.
func mended(text []byte) []byte {
	if bytes.HasSuffix(text, []byte(closing)) {
		return text
	}
	whole := text[:bytes.LastIndex(text, []byte(",\n"))]
	return append(slices.Clone(whole), closing...)
}
