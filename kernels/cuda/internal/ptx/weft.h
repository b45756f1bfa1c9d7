// What all kernels share. The sources are compiled twice: by clang to PTX, without any header of CUDA, and by a C++ compiler of
// the host into the fake driver that tests run on (HOST). Products and sums are fused where it says so, and integers wrap round.
//
// A kernel has one argument. Its name tells how it is launched, which operator it computes, and for which element types:
//
//   each_add_float32       a thread for each element: KERNEL(each_...) calls eachElement
//   fold_sum_float32       a block for some elements of the result, which is what the last axes of an operand are reduced to (reduce.h)
//   row_softmax_float32    a block for each row, along the last axis
//   tile_conv_float32      a block for each tile of the result; what is where integers say
//   inner_matmul_int8      a thread for each element of the result, for which axes of the operands are passed along
//   spread_scatter_add_int8   a block for each element of the outer axes; as many inner ones as the last of the integers says
//
// Threads of kernels each_, inner_, chain_ and many_ (chain.cuh, update.cuh) have nothing to do with one another: there are no barriers in
// these. In others every thread of a block comes to each barrier.
//
// In place of element types a name may have their sizes (bits8 to bits128), those of real numbers alone (word8 to word64), or any.
#pragma once

typedef signed char int8;
typedef short int16;
typedef int int32;
typedef long long int64;
typedef unsigned char uint8;
typedef unsigned short uint16;
typedef unsigned int uint32;
typedef unsigned long long uint64;
typedef float float32;
typedef double float64;
struct float16 { uint16 bits; };
struct bfloat16 { uint16 bits; };
struct Quad { uint64 low, high; };
typedef uint8 bits8;
typedef uint16 bits16;
typedef uint32 bits32;
typedef uint64 bits64;
typedef Quad bits128;
typedef uint8 word8;
typedef uint16 word16;
typedef uint32 word32;
typedef uint64 word64;

enum { maxAxes = 32, maxOperands = 6, maxIntegers = 48, maxScalars = 12 };

// Operand is an array: results come before operands.
struct Operand {
  uint8 *start;
  int64 dtype;
  int64 strides[maxAxes]; // in elements
};

// Arguments is what a kernel gets; package cuda fills it. Of the axes the first are outer, the others inner ones.
struct Arguments {
  uint64 count; // elements of the outer axes
  uint64 inner; // elements of the inner axes
  int64 outerAxes, innerAxes;
  uint64 part, parts;   // of a fold: elements of the inner axes that one block takes, and how many such parts there are
  int64 columns, joins; // of a fold: results that a block is at, and whether it joins what the parts have given
  int64 shape[maxAxes];
  Operand operands[maxOperands];
  int64 integers[maxIntegers];
  double scalars[maxScalars];
};

#ifdef HOST

struct Place { unsigned thread, threads, block, blocks; };
extern thread_local Place place; // of the thread that is emulated
struct Registered { Registered(const char *name, void (*body)(const Arguments &)); };

// A block is emulated thread by thread, each of which runs up to the next barrier.
void __syncthreads();
void *sharedMemory(void *memory, uint64 bytes); // has other bytes in each block

#define MEMBER inline
#define DEVICE static inline
#define SHARED(T, name, size)                     \
  static thread_local T name##Memory[size];       \
  T *const name = (T *)sharedMemory(name##Memory, sizeof name##Memory)
#define SHARED_BYTES(name, size)                                                         \
  static thread_local unsigned char name##Memory[size] __attribute__((aligned(16)));     \
  unsigned char *const name = (unsigned char *)sharedMemory(name##Memory, sizeof name##Memory)
#define KERNEL(name)                                         \
  static void name(const Arguments &a);                      \
  static const Registered registered_##name(#name, name);    \
  static void name(const Arguments &a)

DEVICE unsigned thread() { return place.thread; }
DEVICE unsigned threads() { return place.threads; }
DEVICE unsigned block() { return place.block; }
DEVICE unsigned blocks() { return place.blocks; }

#else

#define MEMBER __attribute__((device)) inline __attribute__((always_inline))
#define DEVICE static MEMBER
#define SHARED(T, name, size) static __attribute__((shared)) T name[size] // memory of a block
#define SHARED_BYTES(name, size) static __attribute__((shared)) unsigned char name[size] __attribute__((aligned(16)))
#define KERNEL(name) extern "C" __attribute__((global)) void name(const Arguments a)

DEVICE unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE unsigned threads() { return __nvvm_read_ptx_sreg_ntid_x(); }
DEVICE unsigned block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE unsigned blocks() { return __nvvm_read_ptx_sreg_nctaid_x(); }

#endif

// together runs body(t) on every thread t of the block. What one body writes, those of a later call may read.
template <class F> DEVICE void together(F body) {
  __syncthreads();
  body(thread());
}

enum { maxThreads = 128 };

// total joins partial(t) of all threads t of the block, a power of two, in an order that is always the same.
template <class S, class F, class J> DEVICE S total(F partial, J join) {
  SHARED_BYTES(memory, maxThreads * sizeof(S));
  S *parts = (S *)memory;
  S own = partial(thread());
  __syncthreads(); // the last result may still be read
  parts[thread()] = own;
  for (unsigned half = threads() / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread() < half) parts[thread()] = join(parts[thread()], parts[thread() + half]);
  }
  __syncthreads();
  return parts[0];
}

// Bits of numbers.

union Single { float number; uint32 bits; };
union Double { double number; uint64 bits; };
DEVICE float singleOf(uint32 bits) { Single s; s.bits = bits; return s.number; }
DEVICE double doubleOf(uint64 bits) { Double d; d.bits = bits; return d.number; }
DEVICE uint32 bitsOf(float number) { Single s; s.number = number; return s.bits; }
DEVICE uint64 bitsOf(double number) { Double d; d.number = number; return d.bits; }

// Numbers of 16 bits are computed in float32 and rounded once, to the nearest with ties to even.

DEVICE float widen(float16 h) {
  uint32 sign = (uint32)(h.bits & 0x8000) << 16, magnitude = h.bits & 0x7fff;
  if (magnitude > 0x7c00) return singleOf(sign | 0x7fc00000 | (magnitude & 0x3ff) << 13);
  if (magnitude == 0x7c00) return singleOf(sign | 0x7f800000);
  if (magnitude >= 0x400) return singleOf(sign | ((magnitude << 13) + 0x38000000));
  return singleOf(sign | bitsOf((float)magnitude * 0x1p-24f));
}

DEVICE float widen(bfloat16 b) { return singleOf((uint32)b.bits << 16); }

DEVICE float16 toHalf(float f) {
  uint32 bits = bitsOf(f), magnitude = bits & 0x7fffffff;
  uint16 sign = bits >> 16 & 0x8000;
  float16 h;
  if (magnitude > 0x7f800000) {
    h.bits = sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
  } else if (magnitude >= 0x477ff000) {
    h.bits = sign | 0x7c00;
  } else if (magnitude >= 0x38800000) {
    uint32 rounded = magnitude - 0x38000000;
    h.bits = sign | (rounded + 0xfff + (rounded >> 13 & 1)) >> 13;
  } else {
    h.bits = sign | (bitsOf(singleOf(magnitude) + 0.5f) - 0x3f000000);
  }
  return h;
}

DEVICE bfloat16 toBrain(float f) {
  uint32 bits = bitsOf(f);
  bfloat16 b;
  b.bits = (bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return b;
}

// Narrow are elements of 16 bits, which are widened where they are read, and rounded where they are written.
template <class T> struct Narrow {
  struct Element {
    T *p;
    MEMBER operator float() const { return load(p); }
    MEMBER void operator=(float v) const { store(p, v); }
  };
  T *p;
  MEMBER Element operator[](int64 i) const { return Element{p + i}; }
  MEMBER Narrow operator+(int64 i) const { return Narrow{p + i}; }
};

// Computed<T> is the type that elements T are computed in; elements gives those of an operand in that type.
template <class T> struct Traits { typedef T computed; typedef T *elements; };
template <> struct Traits<float16> { typedef float computed; typedef Narrow<float16> elements; };
template <> struct Traits<bfloat16> { typedef float computed; typedef Narrow<bfloat16> elements; };
template <class T> using Computed = typename Traits<T>::computed;

template <class T> DEVICE T load(const T *p) { return *p; }
DEVICE float load(const float16 *p) { return widen(*p); }
DEVICE float load(const bfloat16 *p) { return widen(*p); }
template <class T, class V> DEVICE void store(T *p, V v) { *p = (T)v; }
DEVICE void store(float16 *p, float v) { *p = toHalf(v); }
DEVICE void store(bfloat16 *p, float v) { *p = toBrain(v); }

template <class T> DEVICE T *start(const Arguments &a, int operand) { return (T *)a.operands[operand].start; }

template <class T> DEVICE typename Traits<T>::elements elements(const Arguments &a, int operand) {
  return typename Traits<T>::elements{start<T>(a, operand)};
}

// locate adds to at the places, in the first N operands, of the element with number i along count axes from first on.
template <int N> DEVICE void locate(const Arguments &a, uint64 i, int first, int count, int64 (&at)[N]) {
  if (count == 1) {
    for (int k = 0; k < N; k++) at[k] += (int64)i * a.operands[k].strides[first];
    return;
  }
  for (int axis = first + count - 1; axis >= first; axis--) {
    uint64 size = a.shape[axis], index;
    if (i >> 32) {
      index = i % size;
      i /= size;
    } else {
      index = (uint32)i % (uint32)size;
      i = (uint32)i / (uint32)size;
    }
    for (int k = 0; k < N; k++) at[k] += (int64)index * a.operands[k].strides[axis];
  }
}

// eachElement calls body for the number and places of every element that is this thread's.
template <int N, class F> DEVICE void eachElement(const Arguments &a, F body) {
  for (uint64 i = (uint64)block() * threads() + thread(); i < a.count; i += (uint64)blocks() * threads()) {
    int64 at[N] = {};
    locate<N>(a, i, 0, a.outerAxes, at);
    body(i, at);
  }
}

// eachBlock calls body for the places of every element of the outer axes that is this block's.
template <int N, class F> DEVICE void eachBlock(const Arguments &a, F body) {
  for (uint64 i = block(); i < a.count; i += blocks()) {
    int64 at[N] = {};
    locate<N>(a, i, 0, a.outerAxes, at);
    body(at);
  }
}

// UNARY and BINARY make the kernel of an operator on elements T with results of type R, which OP<...>::of computes.
#define UNARY(op, T, R)                                                                                  \
  KERNEL(each_##op##_##T) {                                                                              \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) {                                                 \
      store(start<R>(a, 0) + at[0], op##_(load(start<T>(a, 1) + at[1])));                                \
    });                                                                                                  \
  }
#define BINARY(op, T, R)                                                                                 \
  KERNEL(each_##op##_##T) {                                                                              \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                 \
      store(start<R>(a, 0) + at[0], op##_(load(start<T>(a, 1) + at[1]), load(start<T>(a, 2) + at[2])));  \
    });                                                                                                  \
  }

// SIGNED to NUMBERS apply a macro to an operator and each of some element types.
#define SIGNED(M, op) M(op, int8) M(op, int16) M(op, int32) M(op, int64)
#define UNSIGNED(M, op) M(op, uint8) M(op, uint16) M(op, uint32) M(op, uint64)
#define INTEGERS(M, op) SIGNED(M, op) UNSIGNED(M, op)
#define FLOATS(M, op) M(op, float16) M(op, bfloat16) M(op, float32) M(op, float64)
#define NUMBERS(M, op) INTEGERS(M, op) FLOATS(M, op)

// Kernels whose results have the type of the elements, or are bools.
#define SAME1(op, T) UNARY(op, T, T)
#define SAME2(op, T) BINARY(op, T, T)
#define TELL1(op, T) UNARY(op, T, bool)
#define TELL2(op, T) BINARY(op, T, bool)
