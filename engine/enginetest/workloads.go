package enginetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

var workloads = []property{
	{"RandSumExprEqualsSerialRun", func(t *testing.T, new factory) { randomSums(t, new, 0) }},
	{"RandSumExprWithHostFunctionsEqualsSerialRun", func(t *testing.T, new factory) { randomSums(t, new, 10) }},
	{"RandSumExprOfPushersWithPrivateVariablesEqualsSerialRun", privateWorkloads},
	{"PushersWithSharedVariablesEqualSomeSerialRun", sharedWorkloads},
	{"RandomRangesEqualSerialRun", rangedWorkload},
}

const (
	workloadLength    = 10_000
	workloadVariables = 100
	pushers           = 8
)

// workloadSeeds is how many random workloads a property has.
func workloadSeeds() uint64 {
	if testing.Short() {
		return 1
	}
	return 3
}

// sum is one operator of MXNet's RandSumExpr: the mean, more or less, of what it reads.
type sum struct {
	reads []int
	write int
	spin  int // additions of zero, so that operators last differently long
}

func randomWorkload(random *rand.Rand, length, variables int) []sum {
	sums := make([]sum, length)
	for i := range sums {
		sums[i] = sum{reads: make([]int, 2+random.IntN(18)), write: random.IntN(variables), spin: random.IntN(200)}
		for j := range sums[i].reads {
			sums[i].reads[j] = random.IntN(variables)
		}
	}
	return sums
}

func (s sum) evaluate(data []float64) {
	total := 0.0
	for _, r := range s.reads {
		total += data[r]
	}
	total = total/float64(len(s.reads)+1) + float64(s.write)/8
	for range s.spin {
		total += 0
	}
	data[s.write] = total
}

// accesses names the written variable as read too where it is: the engine merges the two.
func (s sum) accesses(vars []*engine.Var) []engine.Access {
	accesses := make([]engine.Access, 0, len(s.reads)+1)
	for _, r := range s.reads {
		accesses = append(accesses, read(vars[r]))
	}
	return append(accesses, write(vars[s.write]))
}

func ones(n int) []float64 {
	data := make([]float64, n)
	for i := range data {
		data[i] = 1
	}
	return data
}

// randomSums makes every hostEvery-th operation a host function, none for 0.
func randomSums(t *testing.T, new factory, hostEvery int) {
	s := start(t, new)
	for seed := range workloadSeeds() {
		sums := randomWorkload(rand.New(rand.NewPCG(seed, 1)), workloadLength, workloadVariables)
		want, got := ones(workloadVariables), ones(workloadVariables)
		for _, sum := range sums {
			sum.evaluate(want)
		}
		vars := s.variables(workloadVariables)
		for i, sum := range sums {
			op := leaf("sum", func() { sum.evaluate(got) }, sum.accesses(vars)...)
			op.Host = hostEvery > 0 && i%hostEvery == 0
			s.Push(op)
		}
		s.requireDone()
		require.Equal(t, want, got, "seed %d", seed)
	}
	require.Equal(t, workloadSeeds()*workloadLength, s.Stats().Done)
}

func privateWorkloads(t *testing.T, new factory) {
	const shared, private = 20, 30
	s := start(t, new)
	sharedVars := s.variables(shared)
	var all sync.WaitGroup
	for pusher := range pushers {
		// Variables [0, shared) are read by everybody, the rest is the pusher's own.
		random := rand.New(rand.NewPCG(uint64(pusher), 2))
		sums := randomWorkload(random, workloadLength/pushers, shared+private)
		for i := range sums {
			sums[i].write = shared + sums[i].write%private
		}
		want, got := ones(shared+private), ones(shared+private)
		for _, sum := range sums {
			sum.evaluate(want)
		}
		all.Go(func() {
			own := s.variables(private)
			for i, sum := range sums {
				op := leaf("sum", func() { sum.evaluate(got) }, sum.accesses(append(sharedVars[:shared:shared], own...))...)
				op.Host = i%50 == 0
				s.Push(op)
			}
			for _, v := range own {
				if err := s.wait(v); err != nil {
					t.Errorf("pusher %d: %v", pusher, err)
				}
			}
			for i := range want {
				if want[i] != got[i] {
					t.Errorf("pusher %d: variable %d is %v, serially %v", pusher, i, got[i], want[i])
				}
			}
		})
	}
	all.Wait()
	s.requireDone()
}

// sharedWorkloads adds integers, so that every serial order gives the same result; a lost or doubled operation does not.
func sharedWorkloads(t *testing.T, new factory) {
	const variables = 10
	s := start(t, new)
	vars := s.variables(variables)
	var data, count, wantData, wantCount [variables]int
	var all sync.WaitGroup
	for pusher := range pushers {
		random := rand.New(rand.NewPCG(uint64(pusher), 3))
		sums := randomWorkload(random, workloadLength/pushers, variables)
		for i, sum := range sums {
			wantData[sum.write] += i
			wantCount[sum.write]++
		}
		all.Go(func() {
			for i, sum := range sums {
				accesses := sum.accesses(vars)
				accesses[len(accesses)-1].Mode = engine.Update
				op := leaf("add", func() {
					for _, r := range sum.reads {
						_ = data[r] // a race, were anybody writing it
					}
					data[sum.write] += i
					count[sum.write]++
				}, accesses...)
				op.Host = i%100 == 0
				s.Push(op)
			}
		})
	}
	all.Wait()
	s.requireDone()
	require.Equal(t, wantData, data)
	require.Equal(t, wantCount, count)
	for i, v := range vars {
		require.Equal(t, uint64(count[i]), v.Version())
		require.Equal(t, v.Sequence(), v.Version())
	}
}

// rangedWorkload combines random intervals of a few byte arrays, of which each is one variable.
func rangedWorkload(t *testing.T, new factory) {
	const arrays, size, length = 4, 64, workloadLength / 2
	interval := func(random *rand.Rand) (lo, hi int) {
		if random.IntN(8) == 0 {
			return 0, 0
		}
		lo = random.IntN(size)
		return lo, lo + 1 + random.IntN(min(12, size-lo))
	}
	bytes := func(array []byte, lo, hi int) []byte {
		if hi == 0 {
			return array
		}
		return array[lo:hi]
	}
	s := start(t, new)
	for seed := range workloadSeeds() {
		random := rand.New(rand.NewPCG(seed, 4))
		vars := s.variables(arrays)
		var want, got [arrays][size]byte
		for i := range length {
			from, to := random.IntN(arrays), random.IntN(arrays)
			readLow, readHigh := interval(random)
			writeLow, writeHigh := interval(random)
			mode := []engine.Mode{engine.Write, engine.Update}[random.IntN(2)]
			combine := func(data *[arrays][size]byte) {
				total := byte(i)
				for _, b := range bytes(data[from][:], readLow, readHigh) {
					total = total*31 + b
				}
				target := bytes(data[to][:], writeLow, writeHigh)
				for j := range target {
					if mode == engine.Update {
						total += target[j]
					}
					target[j] = total + byte(j)
				}
			}
			combine(&want)
			op := leaf(fmt.Sprint("combine", i), func() { combine(&got) },
				part(read(vars[from]), readLow, readHigh),
				part(engine.Access{Var: vars[to], Mode: mode}, writeLow, writeHigh))
			op.Host = random.IntN(4) == 0
			s.Push(op)
		}
		s.requireDone()
		require.Equal(t, want, got, "seed %d", seed)
	}
}
