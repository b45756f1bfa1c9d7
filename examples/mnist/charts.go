package main

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

var (
	white     = color.RGBA{255, 255, 255, 255}
	pale      = color.RGBA{158, 196, 229, 255}
	deep      = color.RGBA{8, 64, 129, 255}
	lightGrey = color.RGBA{225, 225, 225, 255}
	grey      = color.RGBA{150, 150, 150, 255}
)

// SaveLossCurve draws the loss of each step, lightly, and over it the mean of the steps just before, as a PNG file. Losses
// that are not finite are left out; having none that is finite is an error.
func SaveLossCurve(path string, losses []float64) error {
	window := min(max(len(losses)/50, 1), 200)
	var steps, means plotter.XYs
	for i, loss := range losses {
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			continue
		}
		steps = append(steps, plotter.XY{X: float64(i + 1), Y: loss})
		means = append(means, plotter.XY{X: float64(i + 1), Y: meanHeight(steps[max(len(steps)-window, 0):])})
	}
	if len(steps) == 0 {
		return errors.New("no finite loss to draw")
	}
	chart := newChart("Training loss", "step", "cross-entropy (nats)")
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = lightGrey, lightGrey
	chart.Add(grid)
	for _, curve := range []struct {
		name   string
		points plotter.XYs
		color  color.Color
		width  vg.Length
	}{
		{"each step", steps, pale, vg.Points(0.6)},
		{fmt.Sprintf("mean of %d steps", window), means, deep, vg.Points(1.8)},
	} {
		line, err := plotter.NewLine(curve.points)
		if err != nil {
			return fmt.Errorf("loss curve: %w", err)
		}
		line.Color, line.Width = curve.color, curve.width
		chart.Add(line)
		chart.Legend.Add(curve.name, line)
	}
	chart.Legend.Top = true
	chart.Legend.TextStyle.Font = sans(11)
	chart.Legend.Padding = vg.Points(3)
	chart.Legend.XOffs, chart.Legend.YOffs = vg.Points(-8), vg.Points(-8)
	chart.X.Tick.Marker, chart.Y.Tick.Marker = plot.TickerFunc(roundTicks), plot.TickerFunc(roundTicks)
	chart.X.Min, chart.Y.Min = 0, min(chart.Y.Min, 0)
	chart.Y.Max *= 1.05
	return savePNG(chart, 7*vg.Inch, 4.2*vg.Inch, path)
}

// roundTicks marks the multiples of one, two or five times a power of ten: the smallest that gives at most six marks.
func roundTicks(low, high float64) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/6)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (high-low)/(factor*step) <= 6 {
			step *= factor
			break
		}
	}
	for i := math.Ceil(low / step); i*step <= high; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 4, 64)})
	}
	return ticks
}

func meanHeight(points plotter.XYs) float64 {
	var sum float64
	for _, point := range points {
		sum += point.Y / float64(len(points))
	}
	return sum
}

// SaveConfusion draws how often each true digit (row) was taken for each digit (column), as a PNG file. A cell's shade is
// the square root of its share in its row, so that rare mistakes are seen beside the diagonal. No count at all is an error.
func SaveConfusion(path string, counts [10][10]int) error {
	var right, total int
	for truth, row := range counts {
		right += row[truth]
		for _, count := range row {
			total += count
		}
	}
	if total == 0 {
		return errors.New("no prediction to draw")
	}
	title := fmt.Sprintf("Accuracy %.2f %%: %d of %d digits", 100*float64(right)/float64(total), right, total)
	chart := newChart(title, "predicted digit", "true digit")
	var across, down plot.ConstantTicks
	for digit := range 10 {
		name := strconv.Itoa(digit)
		across = append(across, plot.Tick{Value: float64(digit), Label: name})
		down = append(down, plot.Tick{Value: float64(9 - digit), Label: name})
	}
	chart.X.Tick.Marker, chart.Y.Tick.Marker = across, down
	for _, axis := range []*plot.Axis{&chart.X, &chart.Y} {
		axis.LineStyle.Width, axis.Tick.Length, axis.Padding = 0, 0, 0
		axis.Tick.Label.Font = sans(12)
	}
	chart.Add(confusion(counts))
	return savePNG(chart, 6.4*vg.Inch, 6.4*vg.Inch, path)
}

// confusion is the plotter of the cells: row r from the top is true digit r.
type confusion [10][10]int

// DataRange gives every cell a unit square around its digits.
func (c confusion) DataRange() (xmin, xmax, ymin, ymax float64) { return -0.5, 9.5, -0.5, 9.5 }

// Plot draws the cells and writes their counts.
func (c confusion) Plot(canvas draw.Canvas, chart *plot.Plot) {
	toX, toY := chart.Transforms(&canvas)
	const half = 0.48
	for truth, row := range c {
		var sum int
		for _, count := range row {
			sum += count
		}
		for predicted, count := range row {
			share := math.Sqrt(float64(count) / float64(max(sum, 1)))
			x, y := float64(predicted), float64(9-truth)
			left, right, low, high := toX(x-half), toX(x+half), toY(y-half), toY(y+half)
			canvas.FillPolygon(mix(color.RGBA{245, 247, 250, 255}, deep, share), []vg.Point{
				{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}})
			style := text.Style{Color: color.Black, Font: sans(11), XAlign: text.XCenter, YAlign: text.YCenter,
				Handler: plot.DefaultTextHandler}
			if share > 0.5 {
				style.Color = white
			} else if count == 0 {
				style.Color = grey
			}
			canvas.FillText(style, vg.Point{X: toX(x), Y: toY(y) + style.FontExtents().Descent/2}, strconv.Itoa(count))
		}
	}
}

// mix returns the colour that is share of the way from one colour to another.
func mix(from, to color.RGBA, share float64) color.RGBA {
	blend := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	return color.RGBA{blend(from.R, to.R), blend(from.G, to.G), blend(from.B, to.B), 255}
}

func sans(points float64) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(points))
}

func newChart(title, x, y string) *plot.Plot {
	chart := plot.New()
	chart.Title.Text, chart.X.Label.Text, chart.Y.Label.Text = title, x, y
	chart.Title.TextStyle.Font = sans(15)
	chart.Title.Padding = vg.Points(10)
	for _, axis := range []*plot.Axis{&chart.X, &chart.Y} {
		axis.Label.TextStyle.Font = sans(12)
		axis.Label.Padding = vg.Points(6)
		axis.Tick.Label.Font = sans(10)
	}
	return chart
}

// savePNG draws chart with a margin, at 150 dots per inch.
func savePNG(chart *plot.Plot, width, height vg.Length, path string) error {
	picture := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(150))
	area := draw.New(picture)
	chart.Draw(draw.Crop(area, vg.Points(10), vg.Points(-16), vg.Points(10), vg.Points(-10)))
	return writeFile(path, func(w io.Writer) error {
		_, err := vgimg.PngCanvas{Canvas: picture}.WriteTo(w)
		return err
	})
}
