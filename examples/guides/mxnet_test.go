package guides

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/profile"
	"github.com/weft-nd/weft/random"
)

// mxnetRow is what MXNet writes, what weft writes, the text of the result, and in what else they differ.
type mxnetRow struct {
	theirs        string
	ours          any
	want, differs string
}

const mxnetSetup = `from mxnet import nd, autograd, gluon, engine
x = nd.array([[1, 2, 3], [4, 5, 6]])
y = nd.array([3, 1, 2])
i = nd.array([2, 0])`

var (
	tape *autograd.Tape
	env  *nd.Env
)

func mxnetStart() {
	x = nd.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	y = nd.FromSlice([]float32{3, 1, 2})
	i = nd.FromSlice([]int64{2, 0})
	env = nd.DefaultEnv()
	tape = autograd.NewTape()
}

// weft has MXNet's engine: a call returns at once, an operator runs when what it reads and writes is free, and errors come out where one
// waits. What is another way:
//
// Nothing is global or hangs on a thread. Recording, training mode, devices and random seeds travel in the arrays and in the arguments: a
// tape watches arrays, nn.Ctx tells a layer whether it trains, and the Env of an array says where its operators run. Gradients are results,
// not fields of arrays. Mistakes in a call panic in your line with a typed error; errors at run time stick to the arrays that depend on
// them, and are returned by each wait. Indices are integers. There are no symbols; shapes are as NumPy's.
//
// Each row below is run; the results are those that MXNet 1.9 documents, but for what the last column tells.
var mxnetGuide = []section[mxnetRow]{
	{"Arrays: mx.nd", []mxnetRow{
		{"nd.array([1, 2, 3])", func() any { return nd.FromSlice([]float32{1, 2, 3}) }, "[1. 2. 3.]", "the dtype is that of the slice"},
		{"nd.zeros((2, 3))", func() any { return nd.Zeros[float32](2, 3) }, "[[0. 0. 0.]\n [0. 0. 0.]]", ""},
		{"nd.ones((2,), dtype='int32')", func() any { return nd.Ones[int32](2) }, "[1 1]", ""},
		{"nd.full((2, 2), 7)", func() any { return nd.Full[float32](7, 2, 2) }, "[[7. 7.]\n [7. 7.]]", ""},
		{"nd.arange(0, 6, 2)", func() any { return nd.Arange[float32](0, 6, 2) }, "[0. 2. 4.]", ""},
		{"x.shape", func() any { return x.Shape() }, "[2 3]", ""},
		{"x.size", func() any { return x.Count() }, "6", ""},
		{"x.dtype", func() any { return x.DType() }, "float32", ""},
		{"x.context", func() any { return x.Device() }, "cpu(0)", ""},
		{"x.as_in_context(mx.cpu(0))", func() any { return x.To(device.CPU(0)) }, "[[1. 2. 3.]\n [4. 5. 6.]]", "a handle on the same data, which are copied when an operator there needs them"},
		{"x.astype('int32')", func() any { return x.Cast(dtype.Int32) }, "[[1 2 3]\n [4 5 6]]", ""},
		{"x.copy()", func() any { return x.Copy() }, "[[1. 2. 3.]\n [4. 5. 6.]]", ""},
		{"y.copyto(x[0])", func() any { nd.CopyInto(x.Index(0), y); return x }, "[[3. 1. 2.]\n [4. 5. 6.]]", "the destination comes first"},
		{"x.reshape((3, 2))", func() any { return x.Reshape(3, 2) }, "[[1. 2.]\n [3. 4.]\n [5. 6.]]", "-1 is the only special number"},
		{"x.T", func() any { return x.T() }, "[[1. 4.]\n [2. 5.]\n [3. 6.]]", "a view, not a copy"},
		{"x[1]", func() any { return x.Index(1) }, "[4. 5. 6.]", "a view"},
		{"x[:, 1:3]", func() any { return x.Index(nd.Whole, nd.Span(1, 3)) }, "[[2. 3.]\n [5. 6.]]", "a view, not a copy"},
		{"x[:] = 0; x", func() any { x.SetSlice(nd.Weak(0.0)); return x }, "[[0. 0. 0.]\n [0. 0. 0.]]", ""},
		{"x[0] = y; x", func() any { x.SetSlice(y, 0); return x }, "[[3. 1. 2.]\n [4. 5. 6.]]", ""},
		{"x += 1; x", func() any { nd.AddInto(x, x, nd.Weak(1.0)); return x }, "[[2. 3. 4.]\n [5. 6. 7.]]", ""},
		{"nd.broadcast_add(x, y.reshape((1, 3)))", func() any { return x.Add(y) }, "[[4. 3. 5.]\n [7. 6. 8.]]", "all element-wise operators broadcast, by NumPy's rule"},
		{"nd.elemwise_mul(x, x)", func() any { return x.Mul(x) }, "[[ 1.  4.  9.]\n [16. 25. 36.]]", ""},
		{"x > 3", func() any { return x.GreaterScalar(3) }, "[[False False False]\n [ True  True  True]]", "bools; MXNet gives 0 and 1 of float32"},
		{"nd.dot(x, x.T)", func() any { return x.MatMul(x.T()) }, "[[14. 32.]\n [32. 77.]]", ""},
		{"nd.batch_dot(x.reshape((2, 1, 3)), x.reshape((2, 3, 1)))", func() any { return x.Reshape(2, 1, 3).MatMul(x.Reshape(2, 3, 1)) }, "[[[14.]]\n\n [[77.]]]", "axes in front broadcast"},
		{"nd.sum(x, axis=1)", func() any { return x.Sum(1) }, "[ 6. 15.]", ""},
		{"nd.mean(x)", func() any { return x.Mean() }, "3.5", "without axes, not of shape (1,)"},
		{"nd.max(x, axis=0, keepdims=True)", func() any { return x.MaxKeepDims(0) }, "[[4. 5. 6.]]", ""},
		{"nd.argmax(y, axis=0)", func() any { return y.ArgMax(0) }, "0", "int64; MXNet gives float32"},
		{"nd.norm(y, ord=1)", func() any { return y.Norm(1) }, "6.0", ""},
		{"nd.concat(x, x, dim=0)", func() any { return nd.Concat(0, x, x) }, "[[1. 2. 3.]\n [4. 5. 6.]\n [1. 2. 3.]\n [4. 5. 6.]]", ""},
		{"nd.stack(y, y)", func() any { return nd.Stack(0, y, y) }, "[[3. 1. 2.]\n [3. 1. 2.]]", ""},
		{"nd.split(x, num_outputs=3, axis=1)[0]", func() any { return x.Split(3, 1)[0] }, "[[1.]\n [4.]]", "views"},
		{"nd.take(y, i)", func() any { return y.Take(i, 0) }, "[2. 3.]", "an index out of range is an error; MXNet clips it"},
		{"nd.pick(x, i, axis=1)", func() any { return x.TakeAlongAxis(i.ExpandDims(1), 1).Squeeze(1) }, "[3. 4.]", ""},
		{"nd.one_hot(i, 3)", func() any { return i.OneHot(3, dtype.Float32) }, "[[0. 0. 1.]\n [1. 0. 0.]]", ""},
		{"nd.gather_nd(x, nd.array([[0, 1], [2, 0]]))", func() any { return x.GatherND(nd.FromNested([][]int64{{0, 2}, {1, 0}})) }, "[3. 4.]", "tuples lie along the last axis; in MXNet along the first"},
		{"nd.where(x > 3, x, -x)", func() any { return nd.Where(x.GreaterScalar(3), x, x.Neg()) }, "[[-1. -2. -3.]\n [ 4.  5.  6.]]", ""},
		{"nd.clip(x, 2, 5)", func() any { return x.ClipScalar(2, 5) }, "[[2. 2. 3.]\n [4. 5. 5.]]", ""},
		{"nd.relu(-y + 2)", func() any { return y.Neg().AddScalar(2).Relu() }, "[0. 1. 0.]", ""},
		{"nd.softmax(nd.zeros((4,)))", func() any { return nd.Zeros[float32](4).Softmax(-1) }, "[0.25 0.25 0.25 0.25]", "the axis is given always"},
		{"nd.topk(y, k=2, ret_typ='value')", func() any { values, _ := y.TopK(2, -1); return values }, "[3. 2.]", "values and indices come together"},
		{"nd.sort(y)", func() any { return y.Sort(-1) }, "[1. 2. 3.]", ""},
		{"nd.argsort(y)", func() any { return y.ArgSort(-1) }, "[1 2 0]", "int64; MXNet gives float32"},
		{"nd.expand_dims(y, axis=0)", func() any { return y.ExpandDims(0) }, "[[3. 1. 2.]]", "a view"},
		{"nd.flip(x, axis=1)", func() any { return x.Flip(1) }, "[[3. 2. 1.]\n [6. 5. 4.]]", "a view"},
		{"nd.tile(y, reps=2)", func() any { return y.Tile(2) }, "[3. 1. 2. 3. 1. 2.]", ""},
		{"nd.broadcast_to(y.reshape((1, 3)), (2, 3))", func() any { return y.BroadcastTo(2, 3) }, "[[3. 1. 2.]\n [3. 1. 2.]]", "a view, not a copy"},
		{"nd.FullyConnected(x, w, bias, num_hidden=2)", func() any {
			w, bias := nd.Ones[float32](3, 2), nd.Ones[float32](2)
			return x.Linear(w, nd.NoActivation, bias)
		}, "[[ 7.  7.]\n [16. 16.]]", "weights have the shape (inputs,outputs), in MXNet (outputs,inputs)"},
		{"nd.Embedding(i, x.T, input_dim=3, output_dim=2)", func() any { return nd.Embedding(x.T(), i) }, "[[3. 6.]\n [1. 4.]]", "the table comes first; an index out of range is an error"},
		{"nd.save('a', {'x': x}); nd.load('a')['x']", func() (any, error) {
			if err := nd.SaveNPZ("a.npz", map[string]*nd.Array{"x": x}); err != nil {
				return nil, err
			}
			arrays, err := nd.LoadNPZ("a.npz")
			return arrays["x"], err
		}, "[[1. 2. 3.]\n [4. 5. 6.]]", "NumPy's format; `nd.SaveSafetensors` is another"},
		{"u = nd.random.uniform(0, 1, shape=(2, 2)); u.shape", func() any { u := random.Uniform(env, dtype.Float32, 0, 1, 2, 2); return u.Shape() }, "[2 2]", "the same numbers on every device"},
		{"mx.random.seed(7)", func() any { env := nd.DefaultEnv().WithSeed(7); return env.Device() }, "cpu(0)", "nothing global: arrays made in `env` draw from it"},
	}},
	{"The engine", []mxnetRow{
		{"x.asnumpy()", func() (any, error) { return nd.Values[float32](x) }, "[1 2 3 4 5 6]", "a Go slice, and the error of what went wrong before"},
		{"nd.sum(y).asscalar()", func() (any, error) { return nd.Item[float32](y.Sum()) }, "6", ""},
		{"x.wait_to_read()", func() any { return x.Wait(ctx) }, "<nil>", "ends with the context, too"},
		{"x.wait_to_write()", func() any { return x.WaitToWrite(ctx) }, "<nil>", "`nd.Write` gives the elements meanwhile"},
		{"nd.waitall()", func() any { return env.Engine().WaitAll(ctx) }, "<nil>", "of one engine, of which there may be several"},
		{"with engine.bulk(15): x = x + 1", func() any { x = x.AddScalar(1); return x }, "[[2. 3. 4.]\n [5. 6. 7.]]", "the engine gathers small operators by itself; `Engine.Bulk` is for your own"},
		{"MXNET_ENGINE_TYPE=NaiveEngine", func() (any, error) {
			e, err := engine.New("naive")
			if err != nil {
				return nil, err
			}
			return nd.OnesIn(ops.NewEnv(e), dtype.Float32, 2), nil
		}, "[1. 1.]", "`WEFT_ENGINE=naive` for the whole process"},
		{"profiler.set_state('run')", func() any {
			log := profile.New(1000)
			stop := env.Engine().Observe(log)
			err := x.Exp().Wait(ctx)
			stop()
			return err
		}, "<nil>", "one engine alone; `WEFT_TRACE=trace.json` for the whole process"},
	}},
	{"Gradients: mx.autograd", []mxnetRow{
		{"x.attach_grad()\nwith autograd.record(): z = (x * x).sum()\nz.backward()\nx.grad", func() any {
			watched := tape.Watch(x)
			z := watched.Mul(watched).Sum()
			return tape.Gradient(z, watched)[0]
		}, "[[ 2.  4.  6.]\n [ 8. 10. 12.]]", "what is computed from a watched array is recorded; gradients are results"},
		{"z.backward(y)", func() any { w := tape.Watch(y); z := w.MulScalar(2); return tape.GradientWith(z, y, w)[0] }, "[6. 2. 4.]", ""},
		{"y.attach_grad(grad_req='add')", func() any {
			sum, w := nd.Ones[float32](3), tape.Watch(y)
			tape.GradientAddInto([]*nd.Array{sum}, w.Square().Sum(), w)
			return sum
		}, "[7. 3. 5.]", ""},
		{"z.backward(retain_graph=True)", func() any {
			tape := autograd.NewTape(autograd.Persistent())
			w := tape.Watch(y)
			z := w.Square().Sum()
			tape.Gradient(z, w)
			return tape.Gradient(z, w)[0]
		}, "[6. 2. 4.]", ""},
		{"autograd.grad(z, y, create_graph=True)", func() any {
			outer := autograd.NewTape()
			o := outer.Watch(y)
			w := tape.Watch(o)
			slope := tape.Gradient(w.PowScalar(3).Sum(), w)[0]
			return outer.Gradient(slope.Sum(), o)[0]
		}, "[18.  6. 12.]", "any order, by a tape around a tape"},
		{"nd.BlockGrad(y)", func() any { w := tape.Watch(y); return tape.Gradient(w.Mul(w.Detach()).Sum(), w)[0] }, "[3. 1. 2.]", ""},
		{"with autograd.pause(): z = x * 2", func() any { z := x.MulScalar(2); return z }, "[[ 2.  4.  6.]\n [ 8. 10. 12.]]", "what is not watched is not recorded"},
		{"with autograd.train_mode(): net(x)", func() any { return nn.Relu.Forward(nn.Train(tape, env.Generator()), y) }, "[3. 1. 2.]", "layers are told by their argument"},
		{"class sigmoid(autograd.Function)", func() any {
			double := &autograd.Function{
				Name:     "double",
				Forward:  func(in []*nd.Array) (outputs, saved []*nd.Array) { return []*nd.Array{in[0].MulScalar(2)}, nil },
				Backward: func(_, upstream []*nd.Array) []*nd.Array { return []*nd.Array{upstream[0].MulScalar(2)} },
			}
			w := tape.Watch(y)
			return tape.Gradient(double.Call(w)[0].Sum(), w)[0]
		}, "[2. 2. 2.]", ""},
	}},
	{"Layers and training: mx.gluon", []mxnetRow{
		{"net = nn.Dense(2, in_units=3); net.initialize(); net(x).shape", func() any {
			net := nn.NewDense(env, 3, 2)
			return net.Forward(nn.Infer(), x).Shape()
		}, "[2 2]", "weights are drawn at once; with `nn.Unknown` in place of the 3, as without `in_units`, at the first call or by `nn.Build`"},
		{"net = nn.Sequential(); net.add(nn.Dense(4), nn.Activation('relu'), nn.Dense(2))", func() any {
			net := nn.NewSequential(nn.NewDense(env, 3, 4), nn.Relu, nn.NewDense(env, 4, 2))
			return len(net.Params())
		}, "4", ""},
		{"net.initialize(mx.init.Xavier())", func() any {
			net := nn.NewDense(env, 3, 2)
			net.Initialise(env, nn.XavierUniform)
			return net.Forward(nn.Infer(), x).Shape()
		}, "[2 2]", ""},
		{"gluon.loss.SoftmaxCELoss()(x, i)", func() any { return nn.SoftmaxCrossEntropy(x, i) }, "1.4076059", "the mean; MXNet gives one loss for each sample, and divides in `Trainer.step`"},
		{"gluon.loss.L2Loss()(y, y)", func() any { return nn.SquaredError(y, y) }, "0.0", "without the factor of a half"},
		{"trainer = gluon.Trainer(params, 'sgd', {'learning_rate': 0.5}); trainer.step(1)", func() (any, error) {
			trainer := optim.NewSGD([]*nd.Array{y}, 0.5)
			err := trainer.Step(ctx, []*nd.Array{nd.Ones[float32](3)})
			return y, err
		}, "[2.5 0.5 1.5]", "gradients are given, and not divided by the batch size"},
		{"gluon.Trainer(params, 'adam')", func() (any, error) {
			trainer := optim.NewAdam([]*nd.Array{y}, 0.5)
			return trainer.Steps(), nil
		}, "0", "all parameters change together, or none"},
		{"trainer.save_states('s')", func() any { return len(optim.NewAdam([]*nd.Array{y}, 0.5).State()) }, "3", "a map of arrays, for any format"},
		{"net.save_parameters('p')", func() (any, error) {
			net := nn.NewDense(env, 3, 2)
			if err := nd.SaveNPZ("p.npz", nn.State(net)); err != nil {
				return nil, err
			}
			arrays, err := nd.LoadNPZ("p.npz")
			if err != nil {
				return nil, err
			}
			return nn.SetState(net, arrays), nil
		}, "<nil>", ""},
		{"nn.Dropout(0.5)", func() any { return nn.NewDropout(0.5).Forward(nn.Infer(), y) }, "[3. 1. 2.]", "no mask is kept: it is drawn again"},
		{"nn.BatchNorm(in_channels=3)", func() any { return nn.NewBatchNorm(env, 3).Forward(nn.Infer(), x).Shape() }, "[2 3]", "running averages are in `nn.State`"},
		{"nn.Conv2D(4, kernel_size=3, in_channels=2)", func() any {
			return nn.NewConv2D(env, 2, 4, 3).Forward(nn.Infer(), nd.Ones[float32](1, 2, 5, 5)).Shape()
		}, "[1 4 3 3]", ""},
		{"nn.MaxPool2D(2)", func() any { return nn.NewMaxPool2D(2).Forward(nn.Infer(), nd.Ones[float32](1, 2, 4, 4)).Shape() }, "[1 2 2 2]", ""},
		{"metric.Accuracy()", func() any { return nn.Accuracy(nd.Eye[float32](2), nd.FromSlice([]int64{0, 0})) }, "0.5", "an array: nothing waits until it is read"},
		{"gluon.data.DataLoader(dataset, 2, shuffle=True)", func() (any, error) {
			digits := &data.Digits{Images: &data.Images{Count: 3, Rows: 1, Columns: 1, Pixels: []byte{1, 2, 3}}, Labels: []byte{1, 2, 3}}
			samples := 0
			for batch, err := range data.NewLoader(digits.Dataset(env), 2, data.Shuffle(env)).Batches(ctx) {
				if err != nil {
					return nil, err
				}
				samples += batch.Count
			}
			return samples, nil
		}, "3", "prepared ahead, and shuffled by the seed of `env`"},
	}},
}

func TestRowsOfTheMXNetGuide(t *testing.T) {
	for _, name := range []string{"x", "y", "i"} {
		require.Contains(t, mxnetSetup, "\n"+name+" = ", "the page tells what the rows begin with")
	}
	t.Chdir(t.TempDir())
	rows := 0
	for _, part := range mxnetGuide {
		for _, row := range part.rows {
			rows++
			mxnetStart()
			t.Run(row.theirs, func(t *testing.T) { require.Equal(t, row.want, fmt.Sprint(run(t, row.ours))) })
		}
	}
	t.Logf("%d rows", rows)
	require.GreaterOrEqual(t, rows, 40)
}
