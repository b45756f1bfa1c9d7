#include "interpreter.cuh"

// Chains with functions: compiling them for a device takes longer than all arithmetic.

CHAIN_KERNEL(functions, float32, 1, true)
