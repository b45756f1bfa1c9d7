/* What gorgonia.org/cu/dnn v0.9.6 calls of cuDNN, for the headers of cuDNN 9, in which algorithm descriptors and persistent plans of RNNs
 * are no more: they are not supported. cudnn.h itself is the next that is found. */
#ifndef WEFT_COMPATIBLE_CUDNN_H
#define WEFT_COMPATIBLE_CUDNN_H
#include_next <cudnn.h>
#if CUDNN_MAJOR >= 9
#define CUDNN_STATUS_ALLOC_FAILED                 ((cudnnStatus_t)90002)
#define CUDNN_STATUS_ARCH_MISMATCH                ((cudnnStatus_t)90006)
#define CUDNN_STATUS_MAPPING_ERROR                ((cudnnStatus_t)90007)
#define CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING ((cudnnStatus_t)90011)
typedef struct cudnnAlgorithmStruct *cudnnAlgorithmDescriptor_t;
typedef struct cudnnAlgorithmPerformanceStruct *cudnnAlgorithmPerformance_t;
struct cudnnPersistentRNNPlan;
typedef struct cudnnPersistentRNNPlan *cudnnPersistentRNNPlan_t;
typedef struct cudnnAlgorithmUnionStruct {
	union Algorithm {
		cudnnConvolutionFwdAlgo_t convFwdAlgo;
		cudnnConvolutionBwdFilterAlgo_t convBwdFilterAlgo;
		cudnnConvolutionBwdDataAlgo_t convBwdDataAlgo;
		cudnnRNNAlgo_t RNNAlgo;
		cudnnCTCLossAlgo_t CTCLossAlgo;
	} algo;
} cudnnAlgorithm_t;
#define WEFT_NOT_SUPPORTED { return CUDNN_STATUS_NOT_SUPPORTED; }
static inline cudnnStatus_t cudnnCreateAlgorithmDescriptor(cudnnAlgorithmDescriptor_t *d) WEFT_NOT_SUPPORTED
static inline cudnnStatus_t cudnnSetAlgorithmDescriptor(cudnnAlgorithmDescriptor_t d, cudnnAlgorithm_t a) WEFT_NOT_SUPPORTED
static inline cudnnStatus_t cudnnDestroyAlgorithmDescriptor(cudnnAlgorithmDescriptor_t d) WEFT_NOT_SUPPORTED
static inline cudnnStatus_t cudnnCreateAlgorithmPerformance(cudnnAlgorithmPerformance_t *p, int n) WEFT_NOT_SUPPORTED
static inline cudnnStatus_t cudnnSetAlgorithmPerformance(cudnnAlgorithmPerformance_t p, cudnnAlgorithmDescriptor_t d, cudnnStatus_t s, float t, size_t m) WEFT_NOT_SUPPORTED
static inline cudnnStatus_t cudnnDestroyAlgorithmPerformance(cudnnAlgorithmPerformance_t *p, int n) WEFT_NOT_SUPPORTED
static inline cudnnStatus_t cudnnCreatePersistentRNNPlan(cudnnRNNDescriptor_t r, const int mb, const cudnnDataType_t t, cudnnPersistentRNNPlan_t *p) WEFT_NOT_SUPPORTED
static inline cudnnStatus_t cudnnSetPersistentRNNPlan(cudnnRNNDescriptor_t r, cudnnPersistentRNNPlan_t p) WEFT_NOT_SUPPORTED
static inline cudnnStatus_t cudnnDestroyPersistentRNNPlan(cudnnPersistentRNNPlan_t p) WEFT_NOT_SUPPORTED
static inline cudnnStatus_t cudnnSetRNNMatrixMathType(cudnnRNNDescriptor_t r, cudnnMathType_t m) WEFT_NOT_SUPPORTED
#endif
#endif
