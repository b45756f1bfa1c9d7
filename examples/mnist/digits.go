package main

import (
	"fmt"
	"image"
	"image/draw"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomediumitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/weft-nd/weft/data"
)

const (
	side   = 28       // pixels of an image's side
	canvas = 2 * side // pixels of the side on which strokes are drawn and weighted
	one    = 1 << 16  // 1.0 in the fixed point of outlines and transforms
	curve  = 6        // straight pieces of one curve of an outline
)

// point is a position in fixed point, in units of the digit's height around its centre, y downwards.
type point struct{ x, y int64 }

// outline is the contours of one digit; each is closed by its first point.
type outline [][]point

// DrawDigits draws count grey images of 28×28 pixels, white strokes on black, and their labels. The ten digits are as
// equal in number as count allows, in random order. Each is an outline from one of ten fonts, bent, tapered, sheared,
// turned, scaled in each direction, moved, its strokes thickened or thinned, blurred, and sprinkled with noise.
//
// The result depends on count and seed alone: every image has a random stream of its own, so that the work is shared by
// all processors, and no step has floating-point arithmetic that a compiler may fuse or a machine may round its own way.
func DrawDigits(count int, seed uint64) *data.Digits {
	digits := &data.Digits{
		Images: &data.Images{Count: count, Rows: side, Columns: side, Pixels: make([]byte, count*side*side)},
		Labels: make([]byte, count),
	}
	for i := range digits.Labels {
		digits.Labels[i] = byte(i % 10)
	}
	order := rand.New(rand.NewPCG(seed, 0))
	order.Shuffle(count, func(i, j int) {
		digits.Labels[i], digits.Labels[j] = digits.Labels[j], digits.Labels[i]
	})
	fonts := outlines()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			pen := newPen()
			for {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				// The odd multiplier spreads neighbouring images over the generator's period (Knuth's golden ratio hash).
				random := rand.New(rand.NewPCG(seed, uint64(i+1)*0x9e3779b97f4a7c15))
				shape := fonts[random.IntN(len(fonts))][digits.Labels[i]]
				pen.draw(digits.Images.Pixels[i*side*side:][:side*side], shape, random)
			}
		})
	}
	workers.Wait()
	return digits
}

// outlines returns the digits of every font, read once.
var outlines = sync.OnceValue(func() (fonts [][10]outline) {
	for _, source := range [][]byte{
		goregular.TTF, gomedium.TTF, gobold.TTF, goitalic.TTF, gomediumitalic.TTF, gobolditalic.TTF,
		gomono.TTF, gomonobold.TTF, gomonoitalic.TTF, gosmallcaps.TTF,
	} {
		font, err := sfnt.Parse(source)
		if err != nil {
			panic(fmt.Sprintf("mnist: an embedded font does not parse: %v", err))
		}
		var digits [10]outline
		for digit := range digits {
			if digits[digit], err = readOutline(font, rune('0'+digit)); err != nil {
				panic(fmt.Sprintf("mnist: an embedded font has no digit %d: %v", digit, err))
			}
		}
		fonts = append(fonts, digits)
	}
	return fonts
})

// readOutline flattens the glyph of character, and scales and moves it to height one around the origin.
func readOutline(font *sfnt.Font, character rune) (outline, error) {
	var buffer sfnt.Buffer
	index, err := font.GlyphIndex(&buffer, character)
	if err != nil {
		return nil, err
	}
	segments, err := font.LoadGlyph(&buffer, index, fixed.I(1024), nil)
	if err != nil {
		return nil, err
	}
	bounds := segments.Bounds()
	height := int64(bounds.Max.Y - bounds.Min.Y)
	if height <= 0 {
		return nil, sfnt.ErrNotFound
	}
	normal := func(p fixed.Point26_6) point {
		return point{
			(2*int64(p.X) - int64(bounds.Min.X+bounds.Max.X)) * one / (2 * height),
			(2*int64(p.Y) - int64(bounds.Min.Y+bounds.Max.Y)) * one / (2 * height),
		}
	}
	var shape outline
	var at point
	for _, segment := range segments {
		a, b, c := normal(segment.Args[0]), normal(segment.Args[1]), normal(segment.Args[2])
		last := len(shape) - 1
		switch segment.Op {
		case sfnt.SegmentOpMoveTo:
			shape = append(shape, []point{a})
			at = a
		case sfnt.SegmentOpLineTo:
			// Straight lines are divided too, because a transform may bend them.
			for k := int64(1); k <= curve; k++ {
				shape[last] = append(shape[last], point{at.x + (a.x-at.x)*k/curve, at.y + (a.y-at.y)*k/curve})
			}
			at = a
		case sfnt.SegmentOpQuadTo:
			for k := int64(1); k <= curve; k++ {
				p, q, r := (curve-k)*(curve-k), 2*k*(curve-k), k*k
				shape[last] = append(shape[last], point{
					(p*at.x + q*a.x + r*b.x) / (curve * curve), (p*at.y + q*a.y + r*b.y) / (curve * curve)})
			}
			at = b
		case sfnt.SegmentOpCubeTo:
			for k := int64(1); k <= curve; k++ {
				l := curve - k
				p, q, r, s := l*l*l, 3*k*l*l, 3*k*k*l, k*k*k
				shape[last] = append(shape[last], point{
					(p*at.x + q*a.x + r*b.x + s*c.x) / (curve * curve * curve),
					(p*at.y + q*a.y + r*b.y + s*c.y) / (curve * curve * curve)})
			}
			at = c
		}
	}
	return shape, nil
}

// pen holds the buffers of one worker.
type pen struct {
	rasterizer *vector.Rasterizer
	ink        *image.Alpha
	scratch    []byte
	small      []byte
}

func newPen() *pen {
	return &pen{
		rasterizer: vector.NewRasterizer(canvas, canvas),
		ink:        image.NewAlpha(image.Rect(0, 0, canvas, canvas)),
		scratch:    make([]byte, canvas*canvas),
		small:      make([]byte, side*side),
	}
}

// draw draws shape into pixels, [side, side], as random says.
func (p *pen) draw(pixels []byte, shape outline, random *rand.Rand) {
	warp := randomWarp(random)
	p.rasterizer.Reset(canvas, canvas)
	for _, contour := range shape {
		for i, at := range contour {
			if x, y := warp.apply(at); i == 0 {
				p.rasterizer.MoveTo(x, y)
			} else {
				p.rasterizer.LineTo(x, y)
			}
		}
		p.rasterizer.ClosePath()
	}
	p.rasterizer.DrawOp = draw.Src
	p.rasterizer.Draw(p.ink, p.ink.Rect, image.Opaque, image.Point{})

	// A blurred edge cut at another level than the middle moves: a low level thickens the strokes, a high one thins them.
	ink := p.ink.Pix
	for range 2 {
		smooth(ink, p.scratch, canvas, 85)
	}
	level := 40 + random.IntN(130)
	for i, v := range ink {
		ink[i] = clamp(128 + 3*(int(v)-level))
	}
	for y := range side {
		for x := range side {
			at := 2*y*canvas + 2*x
			sum := int(ink[at]) + int(ink[at+1]) + int(ink[at+canvas]) + int(ink[at+canvas+1])
			pixels[y*side+x] = byte((sum + 2) / 4)
		}
	}
	smooth(pixels, p.small, side, 10+random.IntN(70))
	strength, noise := 180+random.IntN(76), random.IntN(60)
	for i, v := range pixels {
		bits := random.Uint32()
		// The difference of two uniform bytes has a triangular distribution around zero.
		speck := (int(bits&0xff) - int(bits>>8&0xff)) * noise / 256
		pixels[i] = clamp(int(v)*strength/255 + speck)
	}
}

func clamp(v int) byte { return byte(min(max(v, 0), 255)) }

// smooth convolves the square image, size pixels on a side, with [weight, 256-2·weight, weight]/256 in both directions.
// Beyond the border is black.
func smooth(pixels, scratch []byte, size, weight int) {
	centre := 256 - 2*weight
	pass := func(target, source []byte, step, stride int) {
		for line := range size {
			before, here := 0, int(source[line*stride])
			for k := range size {
				at, after := line*stride+k*step, 0
				if k+1 < size {
					after = int(source[at+step])
				}
				target[at] = byte((centre*here + weight*(before+after) + 128) >> 8)
				before, here = here, after
			}
		}
	}
	pass(scratch, pixels, 1, size)
	pass(pixels, scratch, size, 1)
}

// warp maps an outline to the canvas: bends and taper, which are quadratic, then a matrix and a shift. All in fixed point.
type warp struct {
	bendX, bendY, taper int64
	xx, xy, yx, yy      int64
	shiftX, shiftY      int64
}

func randomWarp(random *rand.Rand) warp {
	// between is uniform over [low, high) percent of one.
	between := func(low, high int64) int64 {
		return (low*one + random.Int64N((high-low)*one)) / 100
	}
	times := func(a, b int64) int64 { return a * b / one }
	w := warp{bendX: between(-36, 36), bendY: between(-28, 28), taper: between(-35, 35)}
	width, height, shear := between(70, 130), between(75, 108), between(-36, 36)
	// The rotation by the angle whose half has the tangent t: rational, so without sine and cosine. ±0.17 is ±19°.
	t := between(-17, 17)
	square := times(t, t)
	cosine, sine := (one-square)*one/(one+square), 2*t*one/(one+square)
	const size = 20 * canvas / side // the digit's height on the canvas, before scaling
	across, down := size*width, size*height
	w.xx, w.xy = times(cosine, across), times(times(cosine, shear)-sine, down)
	w.yx, w.yy = times(sine, across), times(times(sine, shear)+cosine, down)
	w.shiftX = canvas/2*one + canvas/side*between(-260, 260)
	w.shiftY = canvas/2*one + canvas/side*between(-260, 260)
	return w
}

// apply returns the place of p on the canvas in pixels, a multiple of 1/64, which float32 holds exactly.
func (w *warp) apply(p point) (x, y float32) {
	u := p.x + (w.bendX*(p.y*p.y/one)+w.taper*(p.x*p.y/one))/one
	v := p.y + w.bendY*(p.x*p.x/one)/one
	const grain = one / 64
	a := ((w.xx*u+w.xy*v)/one + w.shiftX) / grain
	b := ((w.yx*u+w.yy*v)/one + w.shiftY) / grain
	return float32(a) / 64, float32(b) / 64
}
