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

	nd "github.com/weft-nd/weft/ndarray"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
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
	t, err := newTrainer(o, train, test)
	if err != nil {
		return err
	}
	if o.load != "" {
		if err := t.load(o.load); err != nil {
			return err
		}
	}
	for epoch := 1; epoch <= o.epochs; epoch++ {
		if err := t.epoch(ctx, epoch, status); err != nil {
			return err
		}
	}
	if o.save != "" {
		if err := t.save(o.save); err != nil {
			return err
		}
		fmt.Fprintln(out, "parameters:", o.save)
	}
	counts, err := t.confusion(ctx)
	if err != nil {
		return err
	}
	if err := o.saveCharts(out, t.losses, counts); err != nil {
		return err
	}
	fmt.Fprintf(out, "test accuracy: %.4f\n", accuracy(counts))
	return nil
}

// accuracy returns the part of the samples that lie on the diagonal.
func accuracy(counts [10][10]int) float64 {
	right, all := 0, 0
	for digit, row := range counts {
		right += row[digit]
		for _, n := range row {
			all += n
		}
	}
	return float64(right) / float64(max(all, 1))
}
