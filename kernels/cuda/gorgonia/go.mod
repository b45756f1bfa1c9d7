module github.com/weft-nd/weft/kernels/cuda/gorgonia

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	github.com/weft-nd/weft v0.1.0
	gonum.org/v1/gonum v0.17.0
	gorgonia.org/cu v0.9.6
)

require (
	github.com/ebitengine/purego v0.10.2 // indirect
	github.com/google/uuid v1.1.1 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
