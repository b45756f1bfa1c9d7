package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/cuda" // makes -device gpu(0) known
	_ "github.com/weft-nd/weft/kernels/sim"  // and -device sim(0)
)

// options is what the flags choose.
type options struct {
	data     string
	download bool
	model    string
	epochs   int
	batch    int
	rate     float64
	decay    float64
	momentum float64
	seed     uint64
	device   device.Device
	save     string
	load     string
	charts   string
	shift    int
	log      string

	checkpoint string
	every      int
	resume     bool
	profile    string

	dataChosen bool // -data or WEFT_DATA was given
}

// dataVariable names the folder of the MNIST files that examples/mnist reads where -data is not given; the folder weft/mnist in
// the user's cache folder if it is not set.
const dataVariable = "WEFT_DATA"

// Sizes of the data that is drawn where no files are found.
const drawnTrain, drawnTest = 12000, 2000

func parseOptions(args []string, usage io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("mnist", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.data, "data", defaultFolder(), "`folder` of the MNIST files (default $WEFT_DATA, else the user's cache folder)")
	flags.BoolVar(&o.download, "download", false, "fetch the MNIST files into the data folder first")
	flags.StringVar(&o.model, "model", "mlp", "network: mlp is 784-128-64-10, lenet has two convolutions")
	flags.IntVar(&o.epochs, "epochs", 5, "passes over the training data")
	flags.IntVar(&o.batch, "batch", 64, "images in one step")
	flags.Float64Var(&o.rate, "lr", 0, "learning rate of the first epoch (default 0.05, of lenet 0.02)")
	flags.Float64Var(&o.decay, "decay", 0, "factor on the learning rate after each epoch (default 0.7)")
	flags.Float64Var(&o.momentum, "momentum", 0.9, "momentum of gradient descent")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of weights, order of the data, and drawn digits")
	flags.IntVar(&o.shift, "shift", 0, "most `pixels` by which training images are moved at random (default 0, of lenet 2)")
	name := flags.String("device", "cpu(0)", "`device` to train on: gpu(0) is the first GPU of NVIDIA's")
	flags.StringVar(&o.save, "save", "", "`file` (.npz) to write the parameters to")
	flags.StringVar(&o.load, "load", "", "`file` (.npz) to read the parameters from; with -epochs 0 only the test is run")
	flags.StringVar(&o.charts, "charts", "out", "`folder` for loss.png and confusion.png; empty writes none")
	flags.StringVar(&o.profile, "profile", "", "`folder` for timeline.html, table.txt and trace.json, which tell what ran when")
	flags.StringVar(&o.log, "log", "", "`file` for a line of JSON about each step and each epoch")
	flags.StringVar(&o.checkpoint, "checkpoint", "", "`file` (.npz) to write the state of the training to after each epoch, and at an interrupt, which then ends the program; "+
		"the one before is kept beside it")
	flags.IntVar(&o.every, "every", 0, "write the checkpoint after so many `steps` too; 0 does not")
	flags.BoolVar(&o.resume, "resume", false, "go on from the checkpoint")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(usage, "usage: mnist [flags]")
			flags.SetOutput(usage)
			flags.PrintDefaults()
		}
		return nil, err
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	o.suit(given)
	o.dataChosen = given["data"] || os.Getenv(dataVariable) != ""
	var err error
	if o.device, err = findDevice(*name); err != nil {
		return nil, fmt.Errorf("-device: %w", err)
	}
	return o, o.check(flags.Args())
}

// findDevice returns the device of a name; it fails if there is none of this name, and tells why.
func findDevice(name string) (device.Device, error) {
	d, err := device.Parse(name)
	var problem *fault.Error
	if errors.As(err, &problem) {
		return d, errors.New(problem.Detail)
	}
	return d, device.Check(d)
}

// suit gives the flags that were not given the values that suit the model.
func (o *options) suit(given map[string]bool) {
	m := models[o.model]
	if !given["lr"] {
		o.rate = m.rate
	}
	if !given["decay"] {
		o.decay = m.decay
	}
	if !given["shift"] {
		o.shift = m.shift
	}
}

// check returns what is wrong with the values of the flags.
func (o *options) check(rest []string) error {
	positive := func(v float64) bool { return v > 0 && v <= 1e6 }
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unknown argument %q: there are only flags (see -help)", rest[0])
	case models[o.model].build == nil:
		return fmt.Errorf("-model: unknown model %q (known: %s)", o.model, strings.Join(slices.Sorted(maps.Keys(models)), ", "))
	case o.epochs < 0:
		return fmt.Errorf("-epochs is %d (legal: at least 0)", o.epochs)
	case o.batch < 1:
		return fmt.Errorf("-batch is %d (legal: at least 1)", o.batch)
	case !positive(o.rate):
		return fmt.Errorf("-lr is %v (legal: above 0, up to 1e6)", o.rate)
	case !positive(o.decay):
		return fmt.Errorf("-decay is %v (legal: above 0, up to 1e6)", o.decay)
	case !(o.momentum >= 0 && o.momentum < 1):
		return fmt.Errorf("-momentum is %v (legal: from 0 to below 1)", o.momentum)
	case o.shift < 0 || o.shift > side:
		return fmt.Errorf("-shift is %d (legal: from 0 to %d)", o.shift, side)
	case o.every < 0:
		return fmt.Errorf("-every is %d (legal: at least 0)", o.every)
	case o.checkpoint == "" && (o.resume || o.every > 0):
		return errors.New("-resume and -every need -checkpoint, the name of the file")
	}
	return nil
}

func defaultFolder() string {
	if folder := os.Getenv(dataVariable); folder != "" {
		return folder
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "mnist"
	}
	return filepath.Join(cache, "weft", "mnist")
}

// loadData returns the data set, and tells status which one it is.
func (o *options) loadData(ctx context.Context, status io.Writer) (train, test *data.Digits, err error) {
	if o.download {
		if err := Download(ctx, o.data, Mirrors, status); err != nil {
			return nil, nil, err
		}
	}
	if _, statErr := os.Stat(o.data); statErr != nil && o.dataChosen {
		return nil, nil, fmt.Errorf("data folder: %w", statErr)
	}
	train, test, err = data.LoadMNIST(o.data)
	if errors.Is(err, data.ErrNoData) {
		fmt.Fprintf(status, "data: no MNIST files in %s; drawing %d digits instead (-download fetches MNIST)\n", o.data, drawnTrain+drawnTest)
		train, test = split(DrawDigits(drawnTrain+drawnTest, o.seed), drawnTrain)
		return train, test, nil
	}
	if err == nil {
		fmt.Fprintf(status, "data: MNIST in %s, %d images to train, %d to test\n", o.data, train.Images.Count, test.Images.Count)
	}
	return train, test, err
}

// split returns the first n digits, and the rest.
func split(d *data.Digits, n int) (first, rest *data.Digits) {
	size := d.Images.Rows * d.Images.Columns
	part := func(lo, hi int) *data.Digits {
		images := *d.Images
		images.Count, images.Pixels = hi-lo, d.Images.Pixels[lo*size:hi*size]
		return &data.Digits{Images: &images, Labels: d.Labels[lo:hi]}
	}
	return part(0, n), part(n, d.Images.Count)
}

// checkFolders fails if what is learned could not be written in the end; it makes the folder of -charts.
func (o *options) checkFolders() error {
	if o.save != "" && !isFolder(filepath.Dir(o.save)) {
		return fmt.Errorf("-save: there is no folder %s", filepath.Dir(o.save))
	}
	if o.charts != "" {
		if err := os.MkdirAll(o.charts, 0o755); err != nil {
			return fmt.Errorf("-charts: %w", err)
		}
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// saveCharts writes the pictures of a run to the folder of -charts.
func (o *options) saveCharts(out io.Writer, losses []float64, counts [10][10]int) error {
	if o.charts == "" {
		return nil
	}
	confusion := filepath.Join(o.charts, "confusion.png")
	if err := SaveConfusion(confusion, counts); err != nil {
		return err
	}
	if len(losses) == 0 {
		fmt.Fprintln(out, "charts:", confusion)
		return nil
	}
	loss := filepath.Join(o.charts, "loss.png")
	fmt.Fprintln(out, "charts:", loss, confusion)
	return SaveLossCurve(loss, losses)
}
