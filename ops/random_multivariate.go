package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
)

// DirichletParams are the parameters of dirichlet.
type DirichletParams struct {
	Shape []int `doc:"axes of the result in front of those of concentrations"`
}

// MultivariateNormalParams are the parameters of multivariate_normal.
type MultivariateNormalParams struct {
	Shape []int `doc:"axes of the result in front of that of means"`
}

// NormalReplayParams are the parameters of normal_replay.
type NormalReplayParams struct {
	Columns  int    `doc:"length of the last axis" min:"0"`
	Key      uint64 `doc:"key of the ticket of a call"`
	Sequence uint64 `doc:"sequence of the ticket of a call"`
}

func (p NormalReplayParams) ticket() resource.Ticket {
	return resource.Ticket{Key: p.Key, Sequence: p.Sequence}
}

func (p NormalReplayParams) withTicket(t resource.Ticket) any {
	p.Key, p.Sequence = t.Key, t.Sequence
	return p
}

// CovarianceFactorParams are the parameters of covariance_factor.
type CovarianceFactorParams struct {
	Tolerance float64 `doc:"what correlations may be off for symmetry and definiteness; 0 is 4n units of rounding" default:"0" min:"0"`
}

// Operators that draw random vectors. What is wrong with the contents of their operands is an error of the result, found
// while they run.
var (
	Dirichlet = Register(&Operator{
		Name: "dirichlet", Doc: "random vectors along the last axis of the Dirichlet distribution, which sum to one",
		Inputs: []string{"concentrations"}, Params: DirichletParams{}, Accepts: floats, Convert: toFloat, Draws: true,
		Infer: func(c *Call) {
			concentrations := c.Inputs[0].Shape
			if len(concentrations) == 0 || concentrations[len(concentrations)-1] == 0 {
				c.Fail(fault.ErrShape, fmt.Sprintf("concentrations %s: want (...,n) with n at least 1", fault.FormatShape(concentrations)))
			}
			c.Output(c.Inputs[0].DType, slices.Concat(c.Params.(DirichletParams).Shape, concentrations))
		},
		Samples: []Sample{
			{Shapes: [][]int{{3}}, Params: DirichletParams{[]int{20, 10}}}, {Shapes: [][]int{{2, 5}}, Params: DirichletParams{[]int{77}}},
			{Shapes: [][]int{{4, 1}}, Params: DirichletParams{[]int{}}}, {Shapes: [][]int{{3}}, Params: DirichletParams{[]int{0}}},
			{Shapes: [][]int{{0, 3}}, Params: DirichletParams{[]int{2}}},
		},
	})

	MultivariateNormal = Register(&Operator{
		Name: "multivariate_normal", Doc: "random vectors along the last axis: means plus factor times independent standard normal numbers",
		Inputs: []string{"means", "factor"}, Params: MultivariateNormalParams{}, Accepts: floats, Convert: toCommonFloat, Draws: true,
		Work: func(c *Call) int64 { return 2 * c.Outputs[0].elements() * int64(c.Inputs[1].Shape[1]) },
		Infer: func(c *Call) {
			mean, factor := c.Inputs[0].Shape, c.Inputs[1].Shape
			if len(mean) != 1 || len(factor) != 2 || factor[0] != mean[0] {
				c.Fail(fault.ErrShape, fmt.Sprintf("means %s and factor %s do not fit: want (n,) and (n,m)", fault.FormatShape(mean), fault.FormatShape(factor)))
			}
			c.Output(c.Inputs[0].DType, slices.Concat(c.Params.(MultivariateNormalParams).Shape, mean))
		},
		Gradient: func(r *Rule) {
			columns, ticket := r.Shape(1)[1], r.Ticket()
			numbers := r.Apply("normal_replay", NormalReplayParams{columns, ticket.Key, ticket.Sequence}, r.Upstream())
			r.Set(0, r.Upstream())
			rows, size := r.Upstream().Shape(), r.Shape(0)[0]
			count := 1
			for _, n := range rows[:len(rows)-1] {
				count *= n
			}
			upstream := r.Apply("transpose", TransposeParams{}, r.Reshape(r.Upstream(), []int{count, size}))
			r.Set(1, r.Apply("matmul", nil, upstream, r.Reshape(numbers, []int{count, columns})))
		},
		Samples: []Sample{
			{Shapes: [][]int{{3}, {3, 3}}, Params: MultivariateNormalParams{[]int{20, 10}}}, {Shapes: [][]int{{2}, {2, 5}}, Params: MultivariateNormalParams{[]int{77}}},
			{Shapes: [][]int{{4}, {4, 0}}, Params: MultivariateNormalParams{[]int{}}}, {Shapes: [][]int{{0}, {0, 0}}, Params: MultivariateNormalParams{[]int{2}}},
			{Shapes: [][]int{{5}, {5, 1}}, Params: MultivariateNormalParams{[]int{0}}},
		},
	})

	// Its results depend on the place and the element type of its operand alone, and on its axes but the last.
	NormalReplay = Register(&Operator{
		Name: "normal_replay", Doc: "the standard normal numbers that a call of multivariate_normal with the result x took", Inputs: []string{"x"},
		Params: NormalReplayParams{}, Accepts: floats, Convert: toFloat,
		Infer: func(c *Call) {
			x := c.Inputs[0].Shape
			if len(x) == 0 {
				c.Fail(fault.ErrShape, "the operand has no axes")
			}
			c.Output(c.Inputs[0].DType, append(slices.Clone(x[:len(x)-1]), c.Params.(NormalReplayParams).Columns))
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(NormalReplayParams)
			l.Integers = []int64{int64(p.Key), int64(p.Sequence)}
		},
		Samples: []Sample{
			{Shapes: [][]int{{20, 3}}, Params: NormalReplayParams{5, 1<<64 - 5, 1 << 40}}, {Shapes: [][]int{{2, 30, 1}}, Params: NormalReplayParams{9, 1, 2}},
			{Shapes: [][]int{{4}}, Params: NormalReplayParams{1, 0, 0}}, {Shapes: [][]int{{0, 3}}, Params: NormalReplayParams{2, 0, 0}}, {Shapes: [][]int{{3, 2}}, Params: NormalReplayParams{0, 0, 0}},
		},
	})

	CovarianceFactor = Register(&Operator{
		Name: "covariance_factor", Doc: "a matrix whose product with its transpose is a symmetric positive semidefinite matrix",
		Inputs: []string{"covariance"}, Params: CovarianceFactorParams{}, Accepts: floats, Convert: toFloat,
		Brief: func(c *Call) bool { return c.Inputs[0].elements() <= 256 }, // The cube of its root counts.
		Infer: func(c *Call) {
			covariance := c.Inputs[0].Shape
			if len(covariance) != 2 || covariance[0] != covariance[1] {
				c.Fail(fault.ErrShape, fmt.Sprintf("covariance %s: want (n,n)", fault.FormatShape(covariance)))
			}
			c.Output(c.Inputs[0].DType, covariance)
		},
		Lower: func(c *Call, l *Lowered) { l.Scalars = []float64{c.Params.(CovarianceFactorParams).Tolerance} },
		Samples: []Sample{
			{Shapes: [][]int{{3, 3}}, Params: CovarianceFactorParams{}}, {Shapes: [][]int{{40, 40}}, Params: CovarianceFactorParams{1e-6}},
			{Shapes: [][]int{{1, 1}}, Params: CovarianceFactorParams{}}, {Shapes: [][]int{{0, 0}}, Params: CovarianceFactorParams{}},
		},
	})
)
