package train

import (
	"bufio"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteChart reads a log and draws it: a page of HTML that needs nothing else, with one picture for the loss and one for each metric,
// over the steps. Steps are thin lines, thinned out where there are many, the means of epochs and the validation thick ones with
// points. A log without an entry is an error.
func WriteChart(w io.Writer, log io.Reader) error {
	entries, err := ReadLog(log)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return errors.New("chart: the log has no entry")
	}
	out := bufio.NewWriter(w)
	out.WriteString(chartHead)
	for _, name := range pictureNames(entries) {
		picture{name: name, curves: curvesOf(entries, name)}.write(out)
	}
	out.WriteString("</body></html>\n")
	return out.Flush()
}

const chartHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Training</title>
<style>
body { font: 13px sans-serif; margin: 24px; color: #222; background: #fff }
svg { display: block; margin-bottom: 24px; max-width: 100%; height: auto }
text { font: 12px sans-serif; fill: #444 }
.title { font-size: 15px; fill: #111 }
</style></head><body>
`

// pictureNames returns what is drawn: the loss, then the metrics by name. Rates are not of the training but of the machine.
func pictureNames(entries []Entry) []string {
	names := map[string]bool{}
	for _, e := range entries {
		for name := range e.Values {
			names[strings.TrimPrefix(name, validationPrefix)] = true
		}
	}
	delete(names, lossName)
	delete(names, rateName)
	return append([]string{lossName}, slices.Sorted(maps.Keys(names))...)
}

// curve is points over steps.
type curve struct {
	label, color string
	thick        bool
	x, y         []float64
}

// most is how many points of steps a curve has at most: two for each point of the picture across.
const most = 1600

// curvesOf returns the curves of one picture that have points.
func curvesOf(entries []Entry, name string) []curve {
	all := []curve{
		{label: "each step", color: "#9ec4e5"}, {label: "mean of the epoch", color: "#084081", thick: true}, {label: "validation", color: "#d1602b", thick: true},
	}
	add := func(c *curve, e Entry, name string) {
		if v, found := e.Values[name]; found && !math.IsNaN(v) {
			c.x, c.y = append(c.x, float64(e.Step)), append(c.y, v)
		}
	}
	for _, e := range entries {
		if e.Kind == "step" {
			add(&all[0], e, name)
			continue
		}
		add(&all[1], e, name)
		add(&all[2], e, validationPrefix+name)
	}
	all[0].thin()
	return slices.DeleteFunc(all, func(c curve) bool { return len(c.x) == 0 })
}

// thin keeps the least and the largest of equal stretches, so that no peak is lost.
func (c *curve) thin() {
	stretch := (2*len(c.x) + most - 1) / most
	if stretch < 3 {
		return
	}
	var x, y []float64
	for start := 0; start < len(c.x); start += stretch {
		part := c.y[start:min(start+stretch, len(c.y))]
		low, high := slices.Index(part, slices.Min(part)), slices.Index(part, slices.Max(part))
		for _, i := range []int{min(low, high), max(low, high)} {
			x, y = append(x, c.x[start+i]), append(y, part[i])
		}
	}
	c.x, c.y = x, y
}

// picture is curves over the same steps.
type picture struct {
	name   string
	curves []curve
}

const width, height, left, right, top, bottom = 800.0, 320.0, 64.0, 20.0, 36.0, 44.0

// write draws the picture as SVG.
func (p picture) write(w *bufio.Writer) {
	end, low, high := 1.0, math.Inf(1), math.Inf(-1)
	for _, c := range p.curves {
		end, low, high = max(end, slices.Max(c.x)), min(low, slices.Min(c.y)), max(high, slices.Max(c.y))
	}
	if low > 0 && low < high/2 {
		low = 0
	}
	if !(high-low > 1e-12*max(math.Abs(low), math.Abs(high))) { // one value but for rounding, or none
		low, high = min(low, high, 0), max(low, high, 0)+1
		if math.IsInf(low, 0) || math.IsInf(high, 0) {
			low, high = 0, 1
		}
	}
	toX := func(x float64) float64 { return left + x/end*(width-left-right) }
	toY := func(y float64) float64 { return height - bottom - (y-low)/(high-low)*(height-top-bottom) }
	fmt.Fprintf(w, "<svg viewBox=\"0 0 %g %g\" width=\"%g\" role=\"img\" aria-label=\"%s\">\n", width, height, width, html.EscapeString(p.name))
	fmt.Fprintf(w, "<text class=\"title\" x=\"%g\" y=\"22\">%s</text>\n", left, html.EscapeString(p.name))
	for _, tick := range ticks(low, high) {
		fmt.Fprintf(w, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#e4e4e4\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			left, toY(tick), width-right, left-8, toY(tick)+4, strconv.FormatFloat(tick, 'g', 5, 64))
	}
	for _, tick := range ticks(0, end) {
		fmt.Fprintf(w, "<path d=\"M%.1f %.1fv5\" stroke=\"#888\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
			toX(tick), height-bottom, toX(tick), height-bottom+18, strconv.FormatFloat(tick, 'f', -1, 64))
	}
	fmt.Fprintf(w, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#888\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">step</text>\n",
		left, height-bottom, width-right, (left+width-right)/2, height-8)
	at := width - right
	for _, c := range slices.Backward(p.curves) { // the legend, from the right
		at -= 7*float64(len(c.label)) + 28
		fmt.Fprintf(w, "<path d=\"M%.1f 18h16\" stroke=\"%s\" stroke-width=\"3\"/><text x=\"%.1f\" y=\"22\">%s</text>\n", at, c.color, at+20, c.label)
	}
	for _, c := range p.curves {
		c.write(w, toX, toY)
	}
	w.WriteString("</svg>\n")
}

// write draws the curve; the points of a thick one are seen.
func (c curve) write(w *bufio.Writer, toX, toY func(float64) float64) {
	stroke := 1.0
	if c.thick {
		stroke = 2.2
	}
	fmt.Fprintf(w, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" points=\"", c.color, stroke)
	for i := range c.x {
		fmt.Fprintf(w, "%.1f,%.1f ", toX(c.x[i]), toY(c.y[i]))
	}
	w.WriteString("\"/>\n")
	for i := range c.x {
		if c.thick && len(c.x) <= 100 {
			fmt.Fprintf(w, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", toX(c.x[i]), toY(c.y[i]), c.color)
		}
	}
}

// ticks returns the multiples of one, two or five times a power of ten in a range: of the smallest that gives at most six.
func ticks(low, high float64) (all []float64) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/6)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (high-low)/(factor*step) <= 6 {
			step *= factor
			break
		}
	}
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		all = append(all, i*step+0) // which makes minus zero zero
	}
	return all
}
