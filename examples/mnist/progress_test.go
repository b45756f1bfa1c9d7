package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ticking returns a clock that goes on by one second whenever it is read.
func ticking() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func TestPlainProgressIsTenLinesAnEpoch(t *testing.T) {
	for _, test := range []struct{ images, batch, lines int }{
		{1000, 1, 10}, {1000, 64, 10}, {60000, 128, 10}, {100, 50, 2}, {7, 7, 1}, {5, 1, 5}, {0, 0, 0},
	} {
		t.Run(fmt.Sprintf("%d images in steps of %d", test.images, test.batch), func(t *testing.T) {
			var out bytes.Buffer
			p := newProgress(&out, false, time.Now, 1, 1, test.images)
			for left := test.images; left > 0; left -= test.batch {
				p.Add(min(left, test.batch), 1)
			}
			p.Finish()
			require.Equal(t, test.lines, strings.Count(out.String(), "\n"), out.String())
			require.NotContains(t, out.String(), "\r")
			if test.images > 0 {
				require.True(t, strings.HasSuffix(out.String(), fmt.Sprintf("  %d/%d images\n", test.images, test.images)))
			}
		})
	}
}

func TestPlainProgressTellsEpochMeanLossAndRate(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, false, ticking(), 2, 5, 400)
	p.Add(100, 3)
	p.Add(300, 1)
	p.Finish()
	require.Equal(t, "epoch 2/5  loss 3.0000  100 images/s  100/400 images\n"+
		"epoch 2/5  loss 1.5000  200 images/s  400/400 images\n", out.String())
}

func TestFinishTellsAnEpochThatEndedEarly(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, false, ticking(), 1, 1, 1000)
	p.Add(100, 2)
	p.Add(50, 2)
	p.Finish()
	require.Equal(t, "epoch 1/1  loss 2.0000  100 images/s  100/1000 images\n"+
		"epoch 1/1  loss 2.0000  75 images/s  150/1000 images\n", out.String())
}

func TestTerminalProgressIsOneLiveLine(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, true, ticking(), 3, 4, 300)
	for range 3 {
		p.Add(100, 0.25)
	}
	p.Finish()
	require.Equal(t, 1, strings.Count(out.String(), "\n"))
	require.True(t, strings.HasSuffix(out.String(), "\n"))
	last := out.String()[strings.LastIndex(out.String(), "\r")+1:]
	require.Contains(t, last, "epoch 3/4  loss 0.2500  100 images/s")
	require.Contains(t, last, "100%")
	require.LessOrEqual(t, len([]rune(strings.TrimSpace(last))), 80)
}

func TestFileIsNoTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	require.NoError(t, err)
	p := NewProgress(file, 1, 1, 10)
	p.Add(10, 0.5)
	p.Finish()
	require.NoError(t, file.Close())
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `^epoch 1/1  loss 0\.5000(  \d+ images/s)?  10/10 images\n$`, string(written))
}

func TestSkippedImagesAreDoneButNotInLossAndRate(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, false, ticking(), 2, 5, 1000)
	p.Skip(550)
	p.Add(50, 3)
	p.Add(50, 1)
	p.Finish()
	require.Equal(t, "epoch 2/5  loss 3.0000  50 images/s  600/1000 images\n"+
		"epoch 2/5  loss 2.0000  50 images/s  650/1000 images\n", out.String())
}
