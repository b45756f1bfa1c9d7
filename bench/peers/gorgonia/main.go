// Command gorgonia measures gorgonia.org/tensor: gorgonia MODULE ARGUMENT... SECONDS prints one line, "ns/op" and the mean of a call, or
// "missing" and the reason. Module and arguments are those of the Python modules in the folder above. It is a module of its own, so that
// weft does not depend on what it measures.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"gorgonia.org/tensor"
)

// call is what is measured.
type call func() error

func main() {
	arguments := os.Args[1:]
	seconds, err := strconv.ParseFloat(arguments[len(arguments)-1], 64)
	if err != nil {
		fail(err)
	}
	prepare, found := map[string]func(...string) call{"unary": unary, "binary": binary, "reduce": reduce, "tinyop": tinyOp}[arguments[0]]
	if !found {
		fail(fmt.Errorf("no module %s", arguments[0]))
	}
	compute := prepare(arguments[1 : len(arguments)-1]...)
	if compute == nil {
		fmt.Println("missing gorgonia has none of", arguments)
		return
	}
	fmt.Println("ns/op", mean(compute, time.Duration(seconds*float64(time.Second))))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gorgonia:", err)
	os.Exit(1)
}

// mean is the mean time in nanoseconds of the calls that fit into the duration, at least five batches of them, as peer.py measures.
func mean(compute call, duration time.Duration) float64 {
	took := func(batch int) time.Duration {
		start := time.Now()
		for range batch {
			if err := compute(); err != nil {
				fail(err)
			}
		}
		return time.Since(start)
	}
	took(1)
	batch := 1
	for took(batch) < time.Millisecond && batch < 1<<20 {
		batch *= 2
	}
	var total time.Duration
	batches := 0
	for ; total < duration || batches < 5; batches++ {
		total += took(batch)
	}
	return float64(total.Nanoseconds()) / float64(batches*batch)
}

func unary(arguments ...string) call {
	compute, found := map[string]func(tensor.Tensor, ...tensor.FuncOpt) (tensor.Tensor, error){
		"exp": tensor.Exp, "log": tensor.Log, "tanh": tensor.Tanh,
	}[arguments[0]]
	if !found {
		return nil
	}
	count := number(arguments[1])
	x, out := dense(count), dense(count)
	return func() error {
		_, err := compute(x, tensor.WithReuse(out))
		return err
	}
}

func binary(arguments ...string) call {
	rows, columns := number(arguments[1]), number(arguments[2])
	x, y, out := dense(rows, columns), dense(rows, columns), dense(rows, columns)
	compute, found := map[string]func(a, b any, options ...tensor.FuncOpt) (tensor.Tensor, error){
		"add": tensor.Add, "mul": tensor.Mul,
	}[arguments[0]]
	if !found { // it broadcasts nothing
		return nil
	}
	return func() error {
		_, err := compute(x, y, tensor.WithReuse(out))
		return err
	}
}

func reduce(arguments ...string) call {
	layout, found := map[string]struct {
		shape []int
		along []int
	}{
		"all": {[]int{10_000_000}, nil}, "rows": {[]int{1000, 10_000}, []int{1}}, "columns": {[]int{10_000, 1000}, []int{0}},
		"small1e3": {[]int{1000}, nil}, "small1e5": {[]int{100_000}, nil},
	}[arguments[1]]
	if !found {
		return nil
	}
	x := dense(layout.shape...)
	switch arguments[0] {
	case "sum":
		return func() error {
			_, err := x.Sum(layout.along...)
			return err
		}
	case "max":
		return func() error {
			_, err := x.Max(layout.along...)
			return err
		}
	}
	return nil
}

func tinyOp(arguments ...string) call {
	x, y := dense(16), dense(16)
	var state tensor.Tensor = x
	return func() error {
		sum, err := tensor.Add(state, y)
		if arguments[0] == "chain" {
			state = sum
		}
		return err
	}
}

// dense is an array of float32 numbers between 0.1 and 3.1.
func dense(shape ...int) *tensor.Dense {
	x := tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
	numbers := x.Data().([]float32)
	for i := range numbers {
		numbers[i] = 0.1 + 3*float32(i)/float32(len(numbers))
	}
	return x
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		fail(err)
	}
	return n
}
