// Command mnist trains a small network to read handwritten digits, and tells how well it does.
//
// It reads the MNIST data set from a folder, or draws digits of its own where there is none.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // A second interrupt ends the program at once.
	var err error
	if mistake := nd.Try(func() { err = run(ctx, os.Args[1:], os.Stdout, os.Stderr) }); mistake != nil {
		err = mistake
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mnist:", err)
		os.Exit(1)
	}
}

// run is the program: it trains as args tell, prints results to out and progress to status.
func run(ctx context.Context, args []string, out io.Writer, status *os.File) error {
	o, err := parseOptions(args, status)
	if err != nil {
		return err
	}
	train, test, err := o.loadData(ctx, status)
	if err != nil {
		return err
	}
	if err := o.checkFolders(); err != nil {
		return err
	}
	r, err := o.startRecording(nd.DefaultEnv().Engine())
	if err != nil {
		return err
	}
	counts, err := learn(ctx, o, train, test, out, status)
	if cause := context.Cause(ctx); o.checkpoint != "" && cause != nil && errors.Is(err, cause) {
		fmt.Fprintln(out, "interrupted: -resume goes on from", o.checkpoint)
		return r.finish(out)
	}
	if err = errors.Join(err, r.finish(out)); err != nil {
		return err
	}
	fmt.Fprintf(out, "test accuracy: %.4f\n", accuracy(counts))
	return nil
}

// learn trains the network and returns how often each digit of the test data was taken for each.
func learn(ctx context.Context, o *options, learned, test *data.Digits, out io.Writer, status *os.File) (counts [10][10]int, err error) {
	t, err := newTrainer(o, learned, test, status)
	if err != nil {
		return counts, err
	}
	if o.load != "" {
		if err := t.load(o.load); err != nil {
			return counts, err
		}
	}
	if o.resume {
		from, err := t.Resume()
		if err != nil {
			return counts, err
		}
		fmt.Fprintln(status, "checkpoint:", from)
	}
	if err := t.Fit(ctx, o.epochs); err != nil {
		return counts, err
	}
	if o.save != "" {
		if err := t.save(o.save); err != nil {
			return counts, err
		}
		fmt.Fprintln(out, "parameters:", o.save)
	}
	if counts, err = t.confusion(ctx); err != nil {
		return counts, err
	}
	return counts, o.saveCharts(out, t.losses.all, counts)
}
