// Command chartransformer trains a small transformer to write text, one character after the other, and lets it write.
//
// It learns from a file, or from some sonnets that are built in.
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
	context.AfterFunc(ctx, stop) // A second interrupt ends the program at once.
	var err error
	if mistake := nd.Try(func() { err = run(ctx, os.Args[1:], os.Stdout, os.Stderr) }); mistake != nil {
		err = mistake
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "chartransformer:", err)
		os.Exit(1)
	}
}

// run is the program: it trains as args tell, prints losses to status, and what the network writes to out.
func run(ctx context.Context, args []string, out, status io.Writer) error {
	o, err := parseOptions(args, status)
	if err != nil {
		return err
	}
	text, err := o.readText()
	if err != nil {
		return err
	}
	corpus, err := newCorpus(text, o.context)
	if err != nil {
		return err
	}
	prompt, err := corpus.encode(o.prompt)
	if err != nil {
		return fmt.Errorf("-prompt: %w", err)
	}
	t := newTrainer(o, corpus, status)
	fmt.Fprintf(status, "%d characters, %d of them different; %d parameters\n", len(corpus.letters), len(corpus.alphabet), t.size())
	if o.load != "" {
		if err := t.load(o.load); err != nil {
			return err
		}
	}
	if o.resume {
		from, err := t.Resume()
		if err != nil {
			return err
		}
		fmt.Fprintln(status, "checkpoint:", from)
	}
	err = t.learn(ctx)
	if cause := context.Cause(ctx); o.checkpoint != "" && cause != nil && errors.Is(err, cause) {
		fmt.Fprintln(out, "interrupted: -resume goes on from", o.checkpoint)
		return nil
	}
	if err != nil {
		return err
	}
	if o.save != "" {
		if err := t.save(o.save); err != nil {
			return err
		}
	}
	written, err := t.write(ctx, prompt)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, o.prompt+corpus.decode(written))
	return nil
}
