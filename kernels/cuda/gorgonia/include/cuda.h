/* What gorgonia.org/cu v0.9.6 calls of the CUDA driver, for the headers of CUDA 13, in which five functions have other parameters.
 * This folder comes first among those of CGO_CFLAGS: cuda.h itself is the next that is found. */
#ifndef WEFT_COMPATIBLE_CUDA_H
#define WEFT_COMPATIBLE_CUDA_H
#include_next <cuda.h>
#if CUDA_VERSION >= 13000

static inline CUresult weft_cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev) {
	return cuCtxCreate_v4(pctx, (CUctxCreateParams *)0, flags, dev);
}
#undef cuCtxCreate
#define cuCtxCreate weft_cuCtxCreate

static inline CUmemLocation weft_location(CUdevice dev) {
	CUmemLocation l;
	l.type = dev == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
	l.id = dev == CU_DEVICE_CPU ? 0 : dev;
	return l;
}
static inline CUresult weft_cuMemAdvise(CUdeviceptr p, size_t n, CUmem_advise a, CUdevice dev) {
	return cuMemAdvise_v2(p, n, a, weft_location(dev));
}
#undef cuMemAdvise
#define cuMemAdvise weft_cuMemAdvise
static inline CUresult weft_cuMemPrefetchAsync(CUdeviceptr p, size_t n, CUdevice dev, CUstream s) {
	return cuMemPrefetchAsync_v2(p, n, weft_location(dev), 0, s);
}
#undef cuMemPrefetchAsync
#define cuMemPrefetchAsync weft_cuMemPrefetchAsync

static inline CUresult weft_cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n) {
	return cuGraphAddDependencies_v2(g, from, to, (const CUgraphEdgeData *)0, n);
}
#undef cuGraphAddDependencies
#define cuGraphAddDependencies weft_cuGraphAddDependencies
static inline CUresult weft_cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n) {
	return cuGraphGetEdges_v2(g, from, to, (CUgraphEdgeData *)0, n);
}
#undef cuGraphGetEdges
#define cuGraphGetEdges weft_cuGraphGetEdges
#endif
#endif
