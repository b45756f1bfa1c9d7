//go:build linux && (amd64 || arm64)

package bind

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// dnnCalls are the functions of cuDNN. Their signatures are the same in the versions 8 and 9.
type dnnCalls struct {
	GetVersion         symbol `c:"cudnnGetVersion"`
	GetCudartVersion   symbol `c:"cudnnGetCudartVersion"`
	Create             symbol `c:"cudnnCreate"`
	Destroy            symbol `c:"cudnnDestroy"`
	SetStream          symbol `c:"cudnnSetStream"`
	CreateTensor       symbol `c:"cudnnCreateTensorDescriptor"`
	SetTensor          symbol `c:"cudnnSetTensorNdDescriptor"`
	DestroyTensor      symbol `c:"cudnnDestroyTensorDescriptor"`
	CreateFilter       symbol `c:"cudnnCreateFilterDescriptor"`
	SetFilter          symbol `c:"cudnnSetFilterNdDescriptor"`
	DestroyFilter      symbol `c:"cudnnDestroyFilterDescriptor"`
	CreateConvolution  symbol `c:"cudnnCreateConvolutionDescriptor"`
	SetConvolution     symbol `c:"cudnnSetConvolutionNdDescriptor"`
	SetGroupCount      symbol `c:"cudnnSetConvolutionGroupCount"`
	SetMathType        symbol `c:"cudnnSetConvolutionMathType"`
	DestroyConvolution symbol `c:"cudnnDestroyConvolutionDescriptor"`
	ChooseForward      symbol `c:"cudnnGetConvolutionForwardAlgorithm_v7"`
	ForwardWorkspace   symbol `c:"cudnnGetConvolutionForwardWorkspaceSize"`
	Forward            symbol `c:"cudnnConvolutionForward"`
	ChooseData         symbol `c:"cudnnGetConvolutionBackwardDataAlgorithm_v7"`
	DataWorkspace      symbol `c:"cudnnGetConvolutionBackwardDataWorkspaceSize"`
	Data               symbol `c:"cudnnConvolutionBackwardData"`
	ChooseWeights      symbol `c:"cudnnGetConvolutionBackwardFilterAlgorithm_v7"`
	WeightsWorkspace   symbol `c:"cudnnGetConvolutionBackwardFilterWorkspaceSize"`
	Weights            symbol `c:"cudnnConvolutionBackwardFilter"`
}

// dnnFunctions are the functions of one direction.
type dnnFunctions struct{ choose, workspace, run symbol }

func (c *dnnCalls) of(direction driver.Direction) dnnFunctions {
	switch direction {
	case driver.ToData:
		return dnnFunctions{c.ChooseData, c.DataWorkspace, c.Data}
	case driver.ToWeights:
		return dnnFunctions{c.ChooseWeights, c.WeightsWorkspace, c.Weights}
	}
	return dnnFunctions{c.ChooseForward, c.ForwardWorkspace, c.Forward}
}

// dnnCalls8 and dnnCalls9 are those of one major version: they load the libraries that have the convolutions.
type (
	dnnCalls8 struct {
		Infer symbol `c:"cudnnCnnInferVersionCheck"`
		Train symbol `c:"cudnnCnnTrainVersionCheck"`
	}
	dnnCalls9 struct {
		Check     symbol `c:"cudnnCnnVersionCheck"`
		LastError symbol `c:"cudnnGetLastErrorString"`
	}
)

// dnnLibrary is the cuDNN that is in use.
type dnnLibrary struct {
	calls  dnnCalls
	calls8 dnnCalls8 // without addresses in other versions
	calls9 dnnCalls9
	major  int
}

// oldestDNN is the oldest version of cuDNN: 8.2 convolves arrays of bfloat16.
const oldestDNN = 8200

// openDNN loads cuDNN for a driver of the given version of CUDA; nil if there is none that can be used, and then the problem of the
// library tells why.
func openDNN(cuda int) (*dnnLibrary, driver.Library) {
	if os.Getenv(driver.DNNVariable) == "0" {
		return nil, driver.Library{Name: "cuDNN", Problem: "it is not looked for: " + driver.DNNVariable + "=0"}
	}
	d := &dnnLibrary{}
	library, err := load("cuDNN", []string{"libcudnn.so.9", "libcudnn.so.8"}, &d.calls, &d.calls8, &d.calls9)
	if err == nil {
		if err = d.start(library.File, cuda); err == nil {
			return d, library
		}
		library.Problem = err.Error()
	}
	return nil, library
}

// start checks the versions of the library in a file.
func (d *dnnLibrary) start(file string, cuda int) error {
	version := int(d.calls.GetVersion.call())
	text := formatDNNVersion(version)
	d.major = version / dnnUnit(version)
	made := int(d.calls.GetCudartVersion.call())
	switch {
	case !strings.HasSuffix(filepath.Base(file), fmt.Sprintf(".%d", d.major)):
		return fmt.Errorf("it is cuDNN %s, which its name does not say", text)
	case version < oldestDNN:
		return fmt.Errorf("it is cuDNN %s, and 8.2 is needed", text)
	case made/1000 > cuda/1000:
		return fmt.Errorf("cuDNN %s is made for CUDA %s, and the driver supports CUDA %s", text, formatVersion(made), formatVersion(cuda))
	}
	if err := d.checkParts(file, version, text); err != nil { // before anything calls for them
		return fmt.Errorf("of the libraries beside it, of cuDNN %s, %w", text, err)
	}
	checks := []symbol{d.calls9.Check}
	if d.major == 8 {
		checks = []symbol{d.calls8.Infer, d.calls8.Train}
	}
	for _, s := range checks {
		if s.address == 0 {
			return fmt.Errorf("it is cuDNN %s, and lacks functions of that version", text)
		}
		if err := d.check(s, s.call()); err != nil {
			return fmt.Errorf("the libraries beside it, of cuDNN %s, are of other versions or do not load: %w", text, err)
		}
	}
	return nil
}

// dnnUnit is what the major version is multiplied by in a number of a version: 8907 is 8.9.7, 90600 is 9.6.0.
func dnnUnit(version int) int {
	if version >= 10000 {
		return 10000
	}
	return 1000
}

func formatDNNVersion(version int) string {
	unit := dnnUnit(version)
	return fmt.Sprintf("%d.%d.%d", version/unit, version%unit/100, version%100)
}

// check returns the error of a call to s on this thread.
func (d *dnnLibrary) check(s symbol, result int32) error {
	if result == 0 {
		return nil
	}
	err := &driver.DNNError{Call: s.name, Status: driver.DNNStatus{Major: d.major, Number: result}}
	if last := d.calls9.LastError; d.major > 8 && last.address != 0 {
		text := make([]byte, 512)
		last.call(uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
		err.Detail = string(text[:max(0, bytes.IndexByte(text, 0))])
	}
	return err
}
