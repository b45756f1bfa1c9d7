#include "weft.h"

// Random numbers with the bits of kernels/cpu: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011) with the layout of the counter that kernels/cpu/philox tells. The first integers are key and sequence.

struct Words { uint32 word[4]; };

DEVICE uint32 highWord(uint32 x, uint32 y) { return (uint64)x * y >> 32; }

// philox returns the words of an element block.
DEVICE Words philox(uint64 key, uint64 sequence, uint64 block, uint32 draw) {
  uint32 k0 = (uint32)key, k1 = (uint32)(key >> 32);
  uint32 c0 = (uint32)block, c1 = draw << 16 | ((uint32)(block >> 32) & 0xffff), c2 = (uint32)sequence, c3 = (uint32)(sequence >> 32);
  for (int round = 0; round < 10; round++) {
    uint32 high0 = highWord(0xD2511F53, c0), low0 = 0xD2511F53 * c0, high1 = highWord(0xCD9E8D57, c2), low1 = 0xCD9E8D57 * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return Words{{c0, c1, c2, c3}};
}

DEVICE uint32 lane(Words w, int i) { return i == 0 ? w.word[0] : i == 1 ? w.word[1] : i == 2 ? w.word[2] : w.word[3]; }

// narrow returns the 32-bit value of an element, wide the 64-bit one.
DEVICE uint32 narrow(const Arguments &a, uint64 element, uint32 draw) {
  return lane(philox(a.integers[0], a.integers[1], element / 4, draw), element % 4);
}

DEVICE uint64 wide(const Arguments &a, uint64 element, uint32 draw) {
  Words w = philox(a.integers[0], a.integers[1], element / 2, draw);
  return element % 2 ? (uint64)w.word[2] << 32 | w.word[3] : (uint64)w.word[0] << 32 | w.word[1];
}

// The largest number below high, but not below low.
DEVICE float belowSingle(double low, double high) {
  float below = (float)high;
  if ((double)below >= high) {
    uint32 bits = bitsOf(below);
    below = below == 0 ? -0x1p-149f : singleOf(below > 0 ? bits - 1 : bits + 1);
  }
  return below < (float)low ? (float)low : below;
}

DEVICE double belowDouble(double low, double high) {
  uint64 bits = bitsOf(high);
  double below = high == 0 ? -0x1p-1074 : doubleOf(high > 0 ? bits - 1 : bits + 1);
  return below < low ? low : below;
}

KERNEL(each_uniform_float32) {
  double low = a.scalars[0], step = (a.scalars[1] - a.scalars[0]) * 0x1p-24;
  float below = belowSingle(a.scalars[0], a.scalars[1]);
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {
    float v = (float)(low + (double)(narrow(a, i, 0) >> 8) * step);
    start<float>(a, 0)[at[0]] = v < below ? v : below;
  });
}

KERNEL(each_uniform_float64) {
  double low = a.scalars[0], step = (a.scalars[1] - a.scalars[0]) * 0x1p-53;
  double below = belowDouble(a.scalars[0], a.scalars[1]);
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {
    double v = low + (double)(wide(a, i, 0) >> 11) * step;
    start<double>(a, 0)[at[0]] = v < below ? v : below;
  });
}

// Chance is a probability below 1 as its first 32 binary digits and the rest.
struct Chance { bool certain; uint32 digits; double rest; };

DEVICE Chance chanceOf(double probability) {
  if (probability >= 1) return Chance{true, 0, 0};
  double scaled = probability * 0x1p32, digits = __builtin_floor(scaled);
  return Chance{false, (uint32)digits, scaled - digits};
}

// hit tells whether the binary fraction with the words of all draws of an element for digits is below the probability.
DEVICE bool hit(const Arguments &a, Chance c, uint64 element) {
  if (c.certain) return true;
  for (uint32 draw = 0;; draw++) {
    uint32 word = narrow(a, element, draw);
    if (word != c.digits) return word < c.digits;
    if (!(c.rest > 0)) return false;
    c = chanceOf(c.rest);
  }
}

KERNEL(each_bernoulli_bool) {
  Chance c = chanceOf(a.scalars[0]);
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) { start<bool>(a, 0)[at[0]] = hit(a, c, i); });
}

// Dropout sets what a chance hits to zero and multiplies the others by the inverse of the probability of staying.
#define DROPOUT(op, T)                                                                                                 \
  KERNEL(each_##op##_##T) {                                                                                            \
    using X = Computed<T>;                                                                                             \
    double probability = a.scalars[0];                                                                                 \
    Chance c = chanceOf(probability);                                                                                  \
    X scale = (X)(1 / (1 - probability));                                                                              \
    auto y = elements<T>(a, 0), x = elements<T>(a, 1);                                                                 \
    eachElement<2>(a, [&](uint64 i, const int64(&at)[2]) { y[at[0]] = hit(a, c, i) ? (X)0 : x[at[1]] * scale; });      \
  }
FLOATS(DROPOUT, dropout)
FLOATS(DROPOUT, dropout_replay)

DEVICE uint64 highOf(uint64 x, uint64 y, uint64 *low) {
  *low = x * y;
#ifdef HOST
  return (unsigned __int128)x * y >> 64;
#else
  uint64 high;
  asm("mul.hi.u64 %0, %1, %2;" : "=l"(high) : "l"(x), "l"(y));
  return high;
#endif
}

// Integers from integers[2] to integers[3] by Lemire's unbiased method, "Fast random integer generation in an interval", ACM TOMACS
// 29(1), 2019; those of at most 32 bits from 32-bit values.
#define RANDINT32(op, T)                                                                                               \
  KERNEL(each_randint_##T) {                                                                                           \
    uint64 low = a.integers[2], span = (uint64)a.integers[3] - low;                                                    \
    uint32 limit = (uint32)span + 1, biased = limit ? (0 - limit) % limit : 0;                                         \
    eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {                                                             \
      uint32 word = narrow(a, i, 0);                                                                                   \
      uint64 product = (uint64)word * limit;                                                                           \
      for (uint32 draw = 1; (uint32)product < biased; draw++) product = (uint64)narrow(a, i, draw) * limit;            \
      start<T>(a, 0)[at[0]] = (T)(low + (span == 0xffffffff ? word : product >> 32));                                  \
    });                                                                                                                \
  }
#define RANDINT64(op, T)                                                                                               \
  KERNEL(each_randint_##T) {                                                                                           \
    uint64 low = a.integers[2], span = (uint64)a.integers[3] - low, limit = span + 1;                                  \
    uint64 biased = limit ? (0 - limit) % limit : 0;                                                                   \
    eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {                                                             \
      uint64 value = wide(a, i, 0), rest = 0;                                                                          \
      if (limit) {                                                                                                     \
        uint64 high = highOf(value, limit, &rest);                                                                     \
        for (uint32 draw = 1; rest < biased; draw++) high = highOf(wide(a, i, draw), limit, &rest);                    \
        value = high;                                                                                                  \
      }                                                                                                                \
      start<T>(a, 0)[at[0]] = (T)(low + value);                                                                        \
    });                                                                                                                \
  }
RANDINT32(, int8) RANDINT32(, int16) RANDINT32(, int32) RANDINT32(, uint8) RANDINT32(, uint16) RANDINT32(, uint32)
RANDINT64(, int64) RANDINT64(, uint64)
