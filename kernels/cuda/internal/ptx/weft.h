// What all kernels share. The sources are compiled twice: by clang to PTX, without any header of CUDA, and by a C++ compiler of
// the host into the fake driver that tests run on (HOST). Products and sums are fused where it says so, and integers wrap round.
//
// A kernel has one argument. Its name tells how it is launched, which operator it computes, and for which element types:
//
//   pack_add_float32       a thread for each pack of elements that follow one another in memory: KERNEL(pack_...) calls eachPack
//   each_take_bits32       a thread for each element: KERNEL(each_...) calls eachElement
//   fold_sum_float32       a block for some elements of the result, which is what the last axes of an operand are reduced to (reduce.h)
//   row_cumsum_float32     a block for each row, along the last axis
//   hold_softmax_float32   a block for each row, which its threads may hold in registers; as many inner axes as the last of the integers says,
//                          or the last axis where there are no integers
//   tile_conv_float32      a block for each tile of the result; what is where integers say
//   inner_matmul_int8      a thread for each element of the result, for which axes of the operands are passed along
//   spread_scatter_add_int8   a block for each element of the outer axes; as many inner ones as the last of the integers says
//
// Threads of kernels pack_, each_, inner_, chain_ and many_ (chain.cuh, update.cuh) have nothing to do with one another: there are no barriers in
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
  uint64 packs;         // of a kernel pack_: how many packs the first elements are; of a kernel hold_: whether rows are packs
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
#define BOUNDED_KERNEL(name, threads, blocks) KERNEL(name)

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
// A kernel whose registers leave room for blocks of so many threads, so many at a time.
#define BOUNDED_KERNEL(name, threads, blocks) extern "C" __attribute__((global, launch_bounds(threads, blocks))) void name(const Arguments a)

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

enum { maxThreads = 128, warp = 32, mostWarps = 32 };

// below returns what the thread with a number that is larger by distance, a power of two, has of the same warp; its own where there is none.
// Every thread of the block calls it.
#ifdef HOST
template <class S> DEVICE S below(S own, unsigned distance) {
  SHARED_BYTES(memory, mostWarps * warp * sizeof(S));
  S *all = (S *)memory;
  unsigned t = thread(), from = t % warp + distance < warp ? t + distance : t;
  __syncthreads();
  all[t] = own;
  __syncthreads();
  return all[from < threads() ? from : t];
}
#else
template <class S> DEVICE S below(S own, unsigned distance) {
  static_assert(sizeof(S) % 4 == 0, "");
  union { S value; uint32 words[sizeof(S) / 4]; } all = {own};
#pragma unroll
  for (unsigned i = 0; i < sizeof(S) / 4; i++)
    asm volatile("shfl.sync.down.b32 %0, %0, %1, 31, -1;" : "+r"(all.words[i]) : "r"(distance));
  return all.value;
}
#endif

// total joins partial(t) of all threads t of the block, whole warps, in an order that is always the same.
template <class S, class F, class J> DEVICE S total(F partial, J join) {
  SHARED_BYTES(memory, mostWarps * sizeof(S));
  S *parts = (S *)memory;
  unsigned t = thread();
  S own = partial(t);
  for (unsigned distance = warp / 2; distance > 0; distance /= 2) own = join(own, below(own, distance));
  __syncthreads(); // the last result may still be read
  if (t % warp == 0) parts[t / warp] = own;
  __syncthreads();
  own = parts[0];
  for (unsigned i = 1; i < threads() / warp; i++) own = join(own, parts[i]);
  return own;
}

// divide returns x / y: numbers of 32 bits take a fifth of the time.
DEVICE uint64 divide(uint64 x, uint64 y) { return x >> 32 || y >> 32 ? x / y : (uint32)x / (uint32)y; }

// Bits of numbers.

union Single { float number; uint32 bits; };
union Double { double number; uint64 bits; };
DEVICE float singleOf(uint32 bits) { Single s; s.bits = bits; return s.number; }
DEVICE double doubleOf(uint64 bits) { Double d; d.bits = bits; return d.number; }
DEVICE uint32 bitsOf(float number) { Single s; s.number = number; return s.bits; }
DEVICE uint64 bitsOf(double number) { Double d; d.number = number; return d.bits; }

// HALVES is whether float16 is converted by instructions of the device. Interpreters do without: clang would copy their arguments to memory.
#if !defined HOST && !defined INTERPRETER
#define HALVES
#endif

// Numbers of 16 bits are computed in float32 and rounded once, to the nearest with ties to even.

DEVICE float widen(float16 h) {
  uint32 sign = (uint32)(h.bits & 0x8000) << 16, magnitude = h.bits & 0x7fff;
  if (magnitude > 0x7c00) return singleOf(sign | 0x7fc00000 | (magnitude & 0x3ff) << 13);
#ifdef HALVES
  float f;
  asm volatile("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
  return f;
#endif
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
#ifdef HALVES
  } else {
    uint16 nearest;
    asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(nearest) : "f"(f));
    h.bits = nearest;
#else
  } else if (magnitude >= 0x477ff000) {
    h.bits = sign | 0x7c00;
  } else if (magnitude >= 0x38800000) {
    uint32 rounded = magnitude - 0x38000000;
    h.bits = sign | (rounded + 0xfff + (rounded >> 13 & 1)) >> 13;
  } else {
    h.bits = sign | (bitsOf(singleOf(magnitude) + 0.5f) - 0x3f000000);
#endif
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
    uint64 size = a.shape[axis], rest = divide(i, size), index = i - rest * size;
    i = rest;
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

// Packs are elements that follow one another along the last axis, as many as an access of packBytes bytes has of the largest type, up to
// mostInPack. There are packs where each operand has such an axis or repeats one element along it, and starts of packs are at multiples of their size.
enum { packBytes = 16, mostInPack = 8 };
template <class T, int size> struct alignas(sizeof(T) * size) Pack { T of[size]; };
template <class... T> constexpr int packSize() {
  const uint64 sizes[] = {sizeof(T)...};
  uint64 largest = 1;
  for (uint64 size : sizes) largest = size > largest ? size : largest;
  return packBytes / largest < mostInPack ? packBytes / largest : mostInPack;
}

// pick and put read and write the element with a number, which is known when a kernel is compiled or goes through all: a pack stays in registers.
template <class T, int size> DEVICE T pick(const Pack<T, size> &p, int number) {
  T e = p.of[0];
#pragma unroll
  for (int i = 1; i < size; i++) e = i == number ? p.of[i] : e;
  return e;
}
template <class T, int size> DEVICE void put(Pack<T, size> &p, int number, T e) {
#pragma unroll
  for (int i = 0; i < size; i++) p.of[i] = i == number ? e : p.of[i];
}

// packAt returns the pack at a place, or, unless it is whole, one element many times.
template <class T, int size> DEVICE Pack<T, size> packAt(const Arguments &a, int operand, int64 at, bool whole) {
  const T *p = start<T>(a, operand) + at;
  if (whole && a.operands[operand].strides[a.outerAxes - 1]) return *(const Pack<T, size> *)p;
  Pack<T, size> same;
  T e = *p;
#pragma unroll
  for (int i = 0; i < size; i++) same.of[i] = e;
  return same;
}

// keepPack writes a pack, or, unless it is whole, its first element.
template <class T, int size> DEVICE void keepPack(const Arguments &a, int64 at, bool whole, const Pack<T, size> &p) {
  T *to = start<T>(a, 0) + at;
  if (whole)
    *(Pack<T, size> *)to = p;
  else
    *to = p.of[0];
}

// inPack calls body for the number of each element of a pack: in turns where that is heavy and would be a long text many times.
template <int size, bool heavy, class F> DEVICE void inPack(bool whole, F body) {
  if constexpr (heavy) {
#pragma unroll 1
    for (int i = 0; i < (whole ? size : 1); i++) body(i);
  } else {
#pragma unroll
    for (int i = 0; i < size; i++) body(i);
  }
}

// eachPack calls body for the places of every pack that is this thread's, which is whole, and of every element that is in none.
template <int N, int size, class F> DEVICE void eachPack(const Arguments &a, F body) {
  uint64 turns = a.count - a.packs * (size - 1);
  for (uint64 i = (uint64)block() * threads() + thread(); i < turns; i += (uint64)blocks() * threads()) {
    bool whole = i < a.packs;
    int64 at[N] = {};
    locate<N>(a, whole ? i * size : i + a.packs * (size - 1), 0, a.outerAxes, at);
    body(at, whole);
  }
}

// The results are those of of(x), of(x, y) and of(x, y, z), as they are stored.
template <bool heavy, class R, class T, class F> DEVICE void unary(const Arguments &a, F of) {
  constexpr int size = packSize<R, T>();
  eachPack<2, size>(a, [&](const int64(&at)[2], bool whole) {
    auto x = packAt<T, size>(a, 1, at[1], whole);
    Pack<R, size> r;
    inPack<size, heavy>(whole, [&](int i) { put(r, i, of(pick(x, i))); });
    keepPack(a, at[0], whole, r);
  });
}
template <bool heavy, class R, class T, class U, class F> DEVICE void binary(const Arguments &a, F of) {
  constexpr int size = packSize<R, T, U>();
  eachPack<3, size>(a, [&](const int64(&at)[3], bool whole) {
    auto x = packAt<T, size>(a, 1, at[1], whole);
    auto y = packAt<U, size>(a, 2, at[2], whole);
    Pack<R, size> r;
    inPack<size, heavy>(whole, [&](int i) { put(r, i, of(pick(x, i), pick(y, i))); });
    keepPack(a, at[0], whole, r);
  });
}
template <bool heavy, class R, class T, class U, class V, class F> DEVICE void ternary(const Arguments &a, F of) {
  constexpr int size = packSize<R, T, U, V>();
  eachPack<4, size>(a, [&](const int64(&at)[4], bool whole) {
    auto x = packAt<T, size>(a, 1, at[1], whole);
    auto y = packAt<U, size>(a, 2, at[2], whole);
    auto z = packAt<V, size>(a, 3, at[3], whole);
    Pack<R, size> r;
    inPack<size, heavy>(whole, [&](int i) { put(r, i, of(pick(x, i), pick(y, i), pick(z, i))); });
    keepPack(a, at[0], whole, r);
  });
}

// stored returns v as an element R.
template <class R, class V> DEVICE R stored(V v) {
  R r;
  store(&r, v);
  return r;
}

// UNARY and BINARY make the kernel of an operator on elements T with results of type R, which op_ computes. HEAVY is whether that is much.
#define HEAVY false
#define UNARY(op, T, R) \
  KERNEL(pack_##op##_##T) { unary<HEAVY, R, T>(a, [](const T &x) { return stored<R>(op##_(load(&x))); }); }
#define BINARY(op, T, R) \
  KERNEL(pack_##op##_##T) { binary<HEAVY, R, T, T>(a, [](const T &x, const T &y) { return stored<R>(op##_(load(&x), load(&y))); }); }

// SIGNED to NUMBERS apply a macro to an operator and each of some element types.
#define SIGNED(M, op) M(op, int8) M(op, int16) M(op, int32) M(op, int64)
#define UNSIGNED(M, op) M(op, uint8) M(op, uint16) M(op, uint32) M(op, uint64)
#define INTEGERS(M, op) SIGNED(M, op) UNSIGNED(M, op)
#define NARROW_FLOATS(M, op) M(op, float16) M(op, bfloat16)
#define WIDE_FLOATS(M, op) M(op, float32) M(op, float64)
#define FLOATS(M, op) NARROW_FLOATS(M, op) WIDE_FLOATS(M, op)
#define NUMBERS(M, op) INTEGERS(M, op) FLOATS(M, op)

// Kernels whose results have the type of the elements, or are bools.
#define SAME1(op, T) UNARY(op, T, T)
#define SAME2(op, T) BINARY(op, T, T)
#define TELL1(op, T) UNARY(op, T, bool)
#define TELL2(op, T) BINARY(op, T, bool)
