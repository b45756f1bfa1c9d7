package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/cuda" // makes -device gpu(0) known
	_ "github.com/weft-nd/weft/kernels/sim"  // and -device sim(0)
)

// options is what the flags choose.
type options struct {
	text, load, save, checkpoint  string
	resume                        bool
	layers, heads, width, context int
	dropout                       float64
	steps, batch, every           int
	rate                          float64
	seed                          uint64
	device                        device.Device
	prompt                        string
	length, top                   int
	temperature                   float64
}

//go:embed sonnets.txt
var sonnets string

func parseOptions(args []string, usage io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("chartransformer", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.text, "text", "", "`file` to learn from (default some sonnets of Shakespeare)")
	flags.IntVar(&o.layers, "layers", 4, "blocks of attention and feed-forward layers")
	flags.IntVar(&o.heads, "heads", 4, "heads of each attention")
	flags.IntVar(&o.width, "width", 128, "features of each character, which heads divides")
	flags.IntVar(&o.context, "context", 64, "characters that are looked at")
	flags.Float64Var(&o.dropout, "dropout", 0, "probability of dropping an element after each layer of a block")
	flags.IntVar(&o.steps, "steps", 500, "steps of training; 0 only writes")
	flags.IntVar(&o.batch, "batch", 16, "pieces of text in one step")
	flags.IntVar(&o.every, "every", 50, "steps between the losses that are printed, and between checkpoints")
	flags.Float64Var(&o.rate, "lr", 1e-3, "learning rate after a tenth of the steps, from which on it falls")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of weights, of the pieces of text, and of what is written")
	name := flags.String("device", "cpu(0)", "`device` to train and write on: gpu(0) is the first GPU of NVIDIA's")
	flags.StringVar(&o.prompt, "prompt", "\n", "`text` that the network continues")
	flags.IntVar(&o.length, "length", 300, "characters to write")
	flags.Float64Var(&o.temperature, "temperature", 0.8, "0 writes the likeliest character, 1 draws by the probabilities, more draws bolder")
	flags.IntVar(&o.top, "top", 0, "draw among so many likeliest `characters`; 0 draws among all")
	flags.StringVar(&o.save, "save", "", "`file` (.npz) to write the parameters to")
	flags.StringVar(&o.load, "load", "", "`file` (.npz) to read the parameters from; with -steps 0 they are used as they are")
	flags.StringVar(&o.checkpoint, "checkpoint", "", "`file` (.npz) to write the state of the training to, also at an interrupt, which then ends the program; the one before is kept beside it")
	flags.BoolVar(&o.resume, "resume", false, "go on from the checkpoint")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(usage, "usage: chartransformer [flags]")
			flags.SetOutput(usage)
			flags.PrintDefaults()
		}
		return nil, err
	}
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

// check returns what is wrong with the values of the flags.
func (o *options) check(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unknown argument %q: there are only flags (see -help)", rest[0])
	}
	for _, n := range []struct {
		name         string
		value, least int
	}{
		{"layers", o.layers, 1}, {"heads", o.heads, 1}, {"width", o.width, 1}, {"context", o.context, 1}, {"steps", o.steps, 0}, {"batch", o.batch, 1},
		{"every", o.every, 1}, {"length", o.length, 0}, {"top", o.top, 0},
	} {
		if n.value < n.least {
			return fmt.Errorf("-%s is %d (legal: at least %d)", n.name, n.value, n.least)
		}
	}
	switch {
	case o.width%o.heads != 0:
		return fmt.Errorf("-heads is %d, which does not divide -width %d", o.heads, o.width)
	case !(o.dropout >= 0 && o.dropout < 1):
		return fmt.Errorf("-dropout is %v (legal: from 0 to below 1)", o.dropout)
	case !(o.rate > 0 && o.rate <= 1e6):
		return fmt.Errorf("-lr is %v (legal: above 0, up to 1e6)", o.rate)
	case !(o.temperature >= 0 && o.temperature <= 1e6):
		return fmt.Errorf("-temperature is %v (legal: from 0 to 1e6)", o.temperature)
	case o.resume && o.checkpoint == "":
		return errors.New("-resume needs -checkpoint, the name of the file")
	case o.save != "" && !isFolder(filepath.Dir(o.save)):
		return fmt.Errorf("-save: there is no folder %s", filepath.Dir(o.save))
	case o.prompt == "":
		return errors.New("-prompt is empty: the network needs a character to continue")
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (o *options) readText() (string, error) {
	if o.text == "" {
		return sonnets, nil
	}
	text, err := os.ReadFile(o.text)
	if err != nil {
		return "", fmt.Errorf("-text: %w", err)
	}
	return string(text), nil
}
