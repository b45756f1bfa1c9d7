package train_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-nd/weft/train"
)

// A chart is drawn of the file that a Log wrote.
func ExampleWriteChart() {
	log := strings.NewReader(`{"kind":"step","epoch":1,"step":1,"loss":2.5}
{"kind":"step","epoch":1,"step":2,"loss":1.25}
{"kind":"epoch","epoch":1,"step":2,"loss":1.875,"validation_loss":1}
`)
	folder, err := os.MkdirTemp("", "chart")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	page, err := os.Create(filepath.Join(folder, "chart.html"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(train.WriteChart(page, log), page.Close())
	// Output: <nil> <nil>
}
