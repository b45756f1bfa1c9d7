package numpy_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/weft-nd/weft/random/numpy"
)

// What math/rand/v2 offers can be drawn from the bits of NumPy.
func ExampleNewPhilox() {
	r := rand.New(numpy.NewPhilox(42))
	fmt.Println(r.Perm(5))

	// numpy.random.seed(42); numpy.random.random_sample()
	fmt.Println(numpy.NewLegacyMT19937(42).Float64())
	// Output:
	// [1 2 3 4 0]
	// 0.3745401188473625
}

// The state is NumPy's: there, g.bit_generator.state = json.loads(text).
func ExamplePhilox_MarshalJSON() {
	p := numpy.NewPhiloxAt([2]uint64{1, 2}, [4]uint64{3})
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	// Output:
	// {"bit_generator":"Philox","state":{"counter":[3,0,0,0],"key":[1,2]},"buffer":[0,0,0,0],"buffer_pos":4,"has_uint32":0,"uinteger":0}
}
