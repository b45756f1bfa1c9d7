package main

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func readPNG(t *testing.T, path string) image.Image {
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	picture, err := png.Decode(file)
	require.NoError(t, err)
	return picture
}

// extent returns the box of all pixels of exactly this colour and how many they are.
func extent(picture image.Image, wanted color.RGBA) (box image.Rectangle, count int) {
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			if color.RGBAModel.Convert(picture.At(x, y)) == wanted {
				box = box.Union(image.Rect(x, y, x+1, y+1))
				count++
			}
		}
	}
	return box, count
}

func TestLossCurveShowsStepsAndTheirMean(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loss.png")
	losses := make([]float64, 1000)
	for i := range losses {
		losses[i] = 2*math.Exp(-float64(i)/200) + 0.3*float64(i%2)
	}
	require.NoError(t, SaveLossCurve(path, losses))
	picture := readPNG(t, path)
	require.Equal(t, image.Pt(1050, 630), picture.Bounds().Size())
	for name, shade := range map[string]color.RGBA{"steps": pale, "mean": deep} {
		box, count := extent(picture, shade)
		require.Greater(t, count, 500, name)
		require.Greater(t, box.Dx(), 700, name)
		require.Greater(t, box.Dy(), 300, name)
	}
}

func TestLossCurveLeavesOutWhatIsNotFinite(t *testing.T) {
	clean, dirty := filepath.Join(t.TempDir(), "clean.png"), filepath.Join(t.TempDir(), "dirty.png")
	require.NoError(t, SaveLossCurve(clean, []float64{3, 2, 1}))
	require.NoError(t, SaveLossCurve(dirty, []float64{3, 2, 1, math.NaN(), math.Inf(1)}))
	require.Equal(t, readPNG(t, clean), readPNG(t, dirty))
	for _, losses := range [][]float64{nil, {math.NaN()}, {math.Inf(-1), math.NaN()}} {
		path := filepath.Join(t.TempDir(), "none.png")
		require.EqualError(t, SaveLossCurve(path, losses), "no finite loss to draw")
		require.NoFileExists(t, path)
	}
	require.NoError(t, SaveLossCurve(filepath.Join(t.TempDir(), "one.png"), []float64{0.5}))
	require.NoError(t, SaveLossCurve(filepath.Join(t.TempDir(), "zero.png"), []float64{0, 0}))
}

func TestConfusionShadesTheCellOfItsCount(t *testing.T) {
	for _, cell := range []struct{ truth, predicted int }{{0, 0}, {0, 9}, {9, 0}, {3, 5}} {
		var counts [10][10]int
		counts[cell.truth][cell.predicted] = 12
		path := filepath.Join(t.TempDir(), "confusion.png")
		require.NoError(t, SaveConfusion(path, counts))
		picture := readPNG(t, path)
		box, count := extent(picture, deep)
		require.Greater(t, count, 1000)
		// Seen from the middle of all cells, the one dark cell lies where its row and column say.
		cells, _ := extent(picture, color.RGBA{245, 247, 250, 255})
		cells = cells.Union(box)
		column := (box.Min.X + box.Dx()/2 - cells.Min.X) * 10 / cells.Dx()
		row := (box.Min.Y + box.Dy()/2 - cells.Min.Y) * 10 / cells.Dy()
		require.Equal(t, cell.predicted, column)
		require.Equal(t, cell.truth, row)
	}
}

func TestConfusionNeedsAPrediction(t *testing.T) {
	path := filepath.Join(t.TempDir(), "confusion.png")
	require.EqualError(t, SaveConfusion(path, [10][10]int{}), "no prediction to draw")
	require.NoFileExists(t, path)
}

func TestChartsNameThePathTheyCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent", "chart.png")
	require.ErrorContains(t, SaveLossCurve(path, []float64{1}), path)
	require.ErrorContains(t, SaveConfusion(path, [10][10]int{{1}}), path)
}
