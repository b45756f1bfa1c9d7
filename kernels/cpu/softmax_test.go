package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

func slowLogSoftmax[T dtype.Float](x []T) []float64 {
	largest := math.Inf(-1)
	for _, v := range x {
		largest = math.Max(largest, float64(v))
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - largest)
	}
	result := make([]float64, len(x))
	for i, v := range x {
		result[i] = float64(v) - largest - math.Log(sum)
	}
	return result
}

func checkSoftmax[T dtype.Float](t *testing.T, tolerance float64) {
	r := random()
	wild := func(r *rand.Rand) T { return T(r.NormFloat64() * 300) }
	for _, shape := range [][]int{{1}, {5}, {0, 3}, {3, 0}, {4, 10}, {2, 3, 700}, {100, 1}} {
		for _, out := range outputLayouts {
			for _, in := range inputLayouts {
				x := newFilled(r, shape, in, wild)
				length := shape[len(shape)-1]
				all := elements[T](x)
				var logarithms, probabilities []float64
				for at := 0; at < len(all); at += length {
					for _, v := range slowLogSoftmax(all[at : at+length]) {
						logarithms = append(logarithms, v)
						probabilities = append(probabilities, math.Exp(v))
					}
				}
				dst := newView(r, dtype.Of[T](), shape, out)
				a := &device.Arguments{Outputs: views(dst), Inputs: views(x)}
				run(t, name[T]("log_softmax"), a)
				requireClose(t, logarithms, elements[T](dst), tolerance, shape)
				run(t, name[T]("softmax"), a)
				requireClose(t, probabilities, elements[T](dst), tolerance, shape)
			}
		}
	}
}

func TestSoftmaxIsStable(t *testing.T) {
	checkSoftmax[float32](t, 1e-6)
	checkSoftmax[float64](t, 1e-13)
}

func checkCrossEntropy[T dtype.Float](t *testing.T, tolerance float64) {
	r := random()
	for _, shape := range [][]int{{0, 4}, {1, 1}, {9, 10}, {300, 70}} {
		for _, how := range inputLayouts {
			x := newFilled(r, shape, how, func(r *rand.Rand) T { return T(r.NormFloat64() * 100) })
			labels := newFilled(r, shape[:1], how, func(r *rand.Rand) int64 { return int64(r.IntN(shape[1])) })
			dst := newView(r, dtype.Of[T](), shape[:1], scattered)
			all := elements[T](x)
			var want []float64
			for i, label := range elements[int64](labels) {
				want = append(want, -slowLogSoftmax(all[i*shape[1] : (i+1)*shape[1]])[label])
			}
			run(t, name[T]("softmax_cross_entropy"), &device.Arguments{Outputs: views(dst), Inputs: views(x, labels)})
			requireClose(t, want, elements[T](dst), tolerance, shape)
		}
	}
}

func TestSoftmaxCrossEntropyIsMinusTheLogProbability(t *testing.T) {
	checkCrossEntropy[float32](t, 1e-6)
	checkCrossEntropy[float64](t, 1e-13)
}

// Of a label that is nearly certain the loss, and the gradient, are what all others weigh, however little that is.
func TestLossesOfCertainLabelsAreExact(t *testing.T) {
	const label, tolerance = 3, 1e-6
	for _, classes := range []int{10, 64, 100, 1000, 3000} {
		for _, logit := range []float32{4, 10, 15} {
			x, rest := make([]float32, classes), 0.0
			for i := range x {
				x[i] = float32(i % 7)
				if i%64 == 35 {
					x[i] += 2 // shares a lane with the label
				}
				if i == label {
					x[i] = logit + 10
				} else {
					rest += math.Exp(float64(x[i]) - float64(logit+10))
				}
			}
			loss := math.Log1p(rest)
			features.Each(func(level features.Level) {
				compute := func(operator string, shape []int, inputs ...device.View) []float32 {
					dst := newView(random(), dtype.Float32, shape, rowMajor)
					run(t, name[float32](operator), &device.Arguments{Outputs: views(dst), Inputs: inputs})
					return elements[float32](dst)
				}
				logits, labels := fromSlice(x, 1, classes), fromSlice([]int64{label}, 1)
				about := []any{"%d classes, %v: %v", classes, logit, level}
				require.InEpsilon(t, loss, compute("softmax_cross_entropy", []int{1}, logits, labels)[0], tolerance, about...)
				require.InEpsilon(t, -loss, compute("log_softmax", []int{1, classes}, logits)[label], tolerance, about...)
				gradient := compute("softmax_cross_entropy_gradient", []int{1, classes}, logits, labels, fromSlice([]float32{1}, 1))
				require.InEpsilon(t, -rest/(1+rest), gradient[label], tolerance, about...)
			})
		}
	}
}
