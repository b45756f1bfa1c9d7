package main

import (
	"context"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// confusion counts, for each digit of the test data, what it was taken for.
func (t *trainer) confusion(ctx context.Context) (counts [classes][classes]int, err error) {
	for batch, err := range t.test.Batches(ctx) {
		if err != nil {
			return counts, err
		}
		if err := count(ctx, &counts, t.Model.Forward(nn.Infer(), batch.Inputs), batch.Labels); err != nil {
			return counts, err
		}
	}
	return counts, nil
}

// count adds what digits were taken for, the class with the highest of scores.
func count(ctx context.Context, counts *[classes][classes]int, scores, labels *nd.Array) error {
	predicted, err := nd.ValuesContext[int64](ctx, scores.ArgMax(1))
	if err != nil {
		return err
	}
	digits, err := nd.ValuesContext[int64](ctx, labels)
	if err != nil {
		return err
	}
	for i, digit := range digits {
		counts[digit][predicted[i]]++
	}
	return nil
}

// accuracy returns the part of the samples that lie on the diagonal.
func accuracy(counts [classes][classes]int) float64 {
	right, all := 0, 0
	for digit, row := range counts {
		right += row[digit]
		for _, n := range row {
			all += n
		}
	}
	return float64(right) / float64(max(all, 1))
}
