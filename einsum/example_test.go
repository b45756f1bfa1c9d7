package einsum_test

import (
	"fmt"

	"github.com/weft-nd/weft/einsum"
)

func ExampleParse() {
	equation, err := einsum.Parse("ij,jk->ik")
	fmt.Println(len(equation.Operands), equation.Result.Labels, err)
	_, err = einsum.Parse("ij->i?")
	fmt.Println(err)
	// Output:
	// 2 [i k] <nil>
	// "?" is no letter, comma, arrow or ellipsis
}

func ExampleEquation_Bind() {
	equation, err := einsum.Parse("...i->...")
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := equation.Bind([][]int{{2, 3, 4}})
	fmt.Println(len(bound.Operands[0]), len(bound.Result), err)
	// Output: 3 2 <nil>
}

func ExampleBound_Path() {
	equation, err := einsum.Parse("ij,jk,kl->il")
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := equation.Bind([][]int{{1000, 2}, {2, 1000}, {1000, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bound.Describe(bound.Path())) // the last two first: the products are small
	// Output:
	// jk,kl->jl: 4000 products
	// ij,jl->il: 4000 products
}
