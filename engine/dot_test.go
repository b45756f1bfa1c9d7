package engine_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
)

// dotGraph is what a file in the DOT language describes.
type dotGraph struct {
	nodes, edges map[string]map[string]string // attributes, by name, and by "tail head"
	clusters     []string                     // labels
}

// parseDOT reads the part of the DOT language without ports, HTML, comments and attributes of several nodes at once but for
// those it drops: of graph, node and edge.
func parseDOT(t *testing.T, text string) dotGraph {
	p := &dotParser{t: t, tokens: dotTokens(t, text)}
	g := dotGraph{nodes: map[string]map[string]string{}, edges: map[string]map[string]string{}}
	p.expect("digraph")
	p.next()
	p.block(&g, false)
	require.Empty(t, p.tokens)
	return g
}

// dotTokens splits text into words, quoted strings with their first quote and without escapes of quotes, and signs.
func dotTokens(t *testing.T, text string) (tokens []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := strings.IndexFunc(text, func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
		switch {
		case end > 0:
			tokens, text = append(tokens, text[:end]), text[end:]
		case text[0] == '"':
			value := `"`
			for text = text[1:]; text[0] != '"'; text = text[1:] {
				if strings.HasPrefix(text, `\"`) {
					text = text[1:]
				} else if text[0] == '\\' { // Escapes are left to the labels.
					value, text = value+text[:1], text[1:]
				}
				value += text[:1]
			}
			tokens, text = append(tokens, value), text[1:]
		case strings.HasPrefix(text, "->"):
			tokens, text = append(tokens, "->"), text[2:]
		default:
			require.Contains(t, "{}[]=;,", text[:1])
			tokens, text = append(tokens, text[:1]), text[1:]
		}
	}
	return tokens
}

type dotParser struct {
	t      *testing.T
	tokens []string
}

func (p *dotParser) next() string {
	require.NotEmpty(p.t, p.tokens)
	first := p.tokens[0]
	p.tokens = p.tokens[1:]
	return first
}

func (p *dotParser) expect(token string) { require.Equal(p.t, token, p.next()) }

func (p *dotParser) block(g *dotGraph, cluster bool) {
	p.expect("{")
	for p.tokens[0] != "}" {
		name := p.next()
		switch p.tokens[0] {
		case "=":
			p.next()
			if value := p.next(); cluster && name == "label" {
				g.clusters = append(g.clusters, value)
			}
			p.expect(";")
		case "->":
			p.next()
			g.edges[name+" "+p.next()] = p.attributes()
		case "[":
			if attributes := p.attributes(); name != "node" {
				g.nodes[name] = attributes
			}
		default:
			require.Equal(p.t, "subgraph", name)
			require.True(p.t, strings.HasPrefix(p.next(), "cluster"))
			p.block(g, true)
		}
	}
	p.expect("}")
}

func (p *dotParser) attributes() map[string]string {
	all := map[string]string{}
	p.expect("[")
	for {
		name := p.next()
		p.expect("=")
		all[name] = strings.TrimPrefix(p.next(), `"`)
		if p.tokens[0] != "," {
			break
		}
		p.next()
	}
	p.expect("]")
	p.expect(";")
	return all
}

func TestTheGraphOfAStuckEngineShowsWhatItIsStuckOn(t *testing.T) {
	e := stuck(t)
	s := e.Snapshot()
	for ; s.Pending[1].State != engine.Issued; s = e.Snapshot() {
		runtime.Gosched() // The lane tells so after the launch.
	}
	var text bytes.Buffer
	require.NoError(t, s.WriteDOT(&text))
	g := parseDOT(t, text.String())
	require.Equal(t, []string{`"sim(0)`, `"cpu(0)`}, g.clusters)
	require.Len(t, g.nodes, len(s.Pending))
	critical := map[string]bool{}
	before := ""
	for _, p := range s.CriticalPath() {
		name := fmt.Sprint("n", p.Number)
		critical[name] = true
		if before != "" {
			require.Equal(t, "bold", g.edges[before+" "+name]["style"])
		}
		before = name
	}
	edges, bold := 0, 0
	for _, p := range s.Pending {
		name := fmt.Sprint("n", p.Number)
		style := g.nodes[name]["style"]
		require.Equal(t, p.State == engine.Running || p.State == engine.Issued, strings.Contains(style, "filled"))
		require.Equal(t, critical[name], strings.Contains(style, "bold"))
		require.True(t, strings.HasPrefix(g.nodes[name]["label"], fmt.Sprintf("#%d %s", p.Number, p.Name)))
		for _, h := range p.After {
			edges++
			require.Equal(t, fmt.Sprint("v", h.Variable), g.edges[fmt.Sprintf("n%d n%d", h.Number, p.Number)]["label"])
		}
	}
	require.Len(t, g.edges, edges)
	for _, edge := range g.edges {
		if edge["style"] == "bold" {
			bold++
		}
	}
	require.Equal(t, len(s.CriticalPath())-1, bold)
}

func TestLabelsInAGraphAreEscaped(t *testing.T) {
	s := engine.Snapshot{Pending: []engine.Pending{
		{Number: 1, Name: "a\"]; n9 -> n8 [label=\"\\N\nb\xff\x00\\", Device: device.GPU(3)},
		{Number: 2, Name: "wait", Wait: true, State: engine.Waiting, After: []engine.Holder{{Number: 1, Variable: 7}}},
	}}
	var text bytes.Buffer
	require.NoError(t, s.WriteDOT(&text))
	g := parseDOT(t, text.String())
	require.Equal(t, map[string]map[string]string{
		"n1": {"label": `#1 a"]; n9 -> n8 [label="\\N\nb` + "\uFFFD" + `\\\ngathered`, "style": "bold"},
		"n2": {"label": `#2 wait\nwaiting`, "shape": "ellipse", "style": "bold"},
	}, g.nodes)
	require.Equal(t, map[string]map[string]string{"n1 n2": {"label": "v7", "style": "bold"}}, g.edges)
	require.ErrorIs(t, s.WriteDOT(failingWriter{}), errDevice)
	require.ErrorIs(t, s.WriteText(failingWriter{}), errDevice)
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errDevice }
