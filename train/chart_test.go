package train_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/train"
)

func TestChartIsAPageWithAPictureForEachQuantity(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	fit(t, newTrainer(with(train.NewLog(path))), 5)
	log, err := os.ReadFile(path)
	require.NoError(t, err)
	page := chartOf(t, string(log))
	require.Equal(t, 2, strings.Count(page, "<svg "))
	for _, text := range []string{">loss<", ">accuracy<", ">each step<", ">mean of the epoch<", ">validation<", ">step<"} {
		require.Contains(t, page, text)
	}
	require.Equal(t, 6, strings.Count(page, "<polyline"))
	require.NotContains(t, page, "samples_per_second")
}

// chartOf draws a log, and checks that what is in the body is well formed and has no number that is none.
func chartOf(t *testing.T, log string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, train.WriteChart(&out, strings.NewReader(log)))
	page := out.String()
	require.NotContains(t, page, "NaN")
	require.NotContains(t, page, "Inf")
	decoder := xml.NewDecoder(strings.NewReader("<body>" + page[strings.Index(page, "<body>")+len("<body>"):strings.Index(page, "</html>")]))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return page
		}
		require.NoError(t, err)
	}
}

func TestChartDrawsWhateverALogHas(t *testing.T) {
	many := ""
	for i := range 20000 {
		many += fmt.Sprintf("{\"kind\":\"step\",\"epoch\":1,\"step\":%d,\"loss\":%d}\n", i+1, map[bool]int{true: 1000, false: i % 7}[i == 12345])
	}
	for name, log := range map[string]string{
		"one step":   `{"kind":"step","epoch":1,"step":1,"loss":2}`,
		"not finite": `{"kind":"step","epoch":1,"step":1,"loss":null}`,
		"zero":       `{"kind":"epoch","epoch":1,"step":7,"loss":0,"a<b":-3}`,
		"level":      `{"kind":"step","epoch":1,"step":1,"loss":-2}` + "\n" + `{"kind":"step","epoch":1,"step":2,"loss":-2}`,
		"rounding":   `{"kind":"step","epoch":1,"step":1,"loss":0.1}` + "\n" + `{"kind":"epoch","epoch":1,"step":2,"loss":0.10000000000000002}`,
		"large":      `{"kind":"step","epoch":1,"step":1,"loss":-1e17}` + "\n" + `{"kind":"step","epoch":1,"step":2,"loss":-1.0000000000000002e17}`,
		"many":       many,
	} {
		t.Run(name, func(t *testing.T) {
			page := chartOf(t, log)
			require.Less(t, len(page), 40000)
			if name == "many" {
				require.Contains(t, page, ",36.0 ", "the peak is at the top")
			}
		})
	}
	require.ErrorContains(t, train.WriteChart(io.Discard, strings.NewReader("")), "no entry")
}
