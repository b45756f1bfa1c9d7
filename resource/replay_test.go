package resource_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/resource"
)

func TestRepeatedWorkDrawsTheSame(t *testing.T) {
	g, plain := resource.NewGenerator(3), resource.NewGenerator(3)
	work := func(g *resource.Generator) (all []resource.Ticket) {
		child := g.Split()
		all = append(all, g.Next(), child.Next(), child.Split().Next(), g.Next())
		for _, c := range g.SplitN(2) {
			all = append(all, c.Next())
		}
		return append(all, g.Next())
	}
	again := g.Repeatable()
	want := work(plain)
	require.Equal(t, want, work(again()), "what the generator itself gives")
	require.Equal(t, plain.State(), g.State())
	next := g.Next()
	require.Equal(t, plain.Next(), next)
	repeated := again()
	require.Equal(t, want, work(repeated), "though the generator has gone on")
	require.Equal(t, plain.Next(), repeated.Next(), "behind the end come further ones of the generator")
	require.Equal(t, plain.Split().Next(), repeated.Split().Next())
	require.Equal(t, plain.State(), repeated.State())
}
