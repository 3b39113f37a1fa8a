// Sifting: 16-bit numbers that are often similar to the previous one, in fewer bytes.
//
// Each number is replaced by its difference from the previous one, modulo 2^16 and folded so that 0, -1, 1, -2, ...
// become 0, 1, 2, 3, ...; the first number is its own difference.  A chunk of n differences is written as
//
//   which of them are not 0            one bit each, in words of 64 bits
//   which of those are above 255       one bit each, in words of 64 bits
//   the low bytes of those not 0
//   the high bytes of those above 255
//
// and a chunk of zeros as no bytes.  All lengths follow from the bits, so a damaged chunk either has the wrong length
// or is harmless.  The code processes eight numbers at a time with a table for each pattern of eight bits, and does not
// branch on the data.
//
#include "sift.hpp"

#include <array>
#include <bit>
#include <cstring>

// The same source for several instruction sets, of which one is chosen when the module is loaded.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CLONES
#endif
#define INLINED inline __attribute__((always_inline))

namespace errai::store {
namespace {

using Word = std::uint64_t;
typedef std::uint16_t Eight __attribute__((vector_size(16)));
typedef std::uint8_t Bytes __attribute__((vector_size(16)));

struct Tables {
  alignas(16) std::uint8_t gather[256][16] = {};  // bytes of the lanes whose bits are set, in order
  alignas(16) std::uint8_t spread[256][16] = {};  // bytes of each lane's rank among the lanes that are set, from 0
  alignas(16) std::uint8_t newest[256][16] = {};  // for each lane: the last lane set up to it, counted from the first
  alignas(16) std::uint16_t set[256][8] = {};     // all ones in the lanes that are set
};

constexpr Tables make_tables() {
  Tables t;
  for (int m = 0; m < 256; ++m) {
    int k = 0;
    for (int i = 0; i < 8; ++i) {
      const int bit = m >> i & 1;
      if (bit)
        for (int b = 0; b < 2; ++b) t.gather[m][2 * k + b] = static_cast<std::uint8_t>(2 * i + b);
      t.set[m][i] = bit ? 0xffff : 0;
      const int newest = k + bit - (m & 1);
      for (int b = 0; b < 2; ++b) {
        t.spread[m][2 * i + b] = static_cast<std::uint8_t>(2 * (k & 7) + b);
        t.newest[m][2 * i + b] = static_cast<std::uint8_t>(2 * newest + b);
      }
      k += bit;
    }
  }
  return t;
}
constexpr Tables kTables = make_tables();

INLINED Eight load(const void* from) {
  Eight v;
  std::memcpy(&v, from, 16);
  return v;
}
INLINED void store(void* to, Eight v) { std::memcpy(to, &v, 16); }

INLINED Eight pick(Eight values, const std::uint8_t* bytes) {
  Bytes from, at, out;
  std::memcpy(&from, &values, 16);
  std::memcpy(&at, bytes, 16);
#ifdef __clang__
  for (int i = 0; i < 16; ++i) out[i] = from[at[i] & 15];
#else
  out = __builtin_shuffle(from, at);
#endif
  Eight result;
  std::memcpy(&result, &out, 16);
  return result;
}

// Maps differences such that small ones of either sign are small numbers: 0, -1, 1, -2 become 0, 1, 2, 3.
INLINED Eight zigzag(Eight d) { return (d << 1) ^ -(d >> 15); }
INLINED Eight unzigzag(Eight code) { return (code >> 1) ^ -(code & 1); }

// Bit i of the result: whether code i is above the bound.
INLINED unsigned above(Eight codes, std::uint16_t bound) {
  typedef std::uint8_t Half __attribute__((vector_size(8)));
  const Eight flags = (Eight)(codes > bound) & 1;
  const Half narrow = __builtin_convertvector(flags, Half);
  Word eight;
  std::memcpy(&eight, &narrow, 8);
  return static_cast<unsigned>(eight * 0x0102040810204080u >> 56);
}

INLINED std::size_t words(std::size_t bits) { return (bits + 63) / 64; }

INLINED Word word_at(const std::uint8_t* from, std::size_t w) {
  Word bits;
  std::memcpy(&bits, from + 8 * w, 8);
  return bits;
}

INLINED std::size_t bits_set(const std::uint8_t* from, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < n; ++w) count += static_cast<std::size_t>(std::popcount(word_at(from, w)));
  return count;
}

}  // namespace

CLONES
std::size_t sift(const std::uint16_t* values, std::size_t n, std::uint8_t* packed, Scratch& scratch) {
  std::uint16_t* found = scratch.found;
  std::size_t count = 0;
  const auto eight = [&](std::size_t g, Eight here, Eight before) __attribute__((always_inline)) {
    const Eight codes = zigzag(here - before);
    const unsigned m = above(codes, 0);
    packed[g] = static_cast<std::uint8_t>(m);
    store(found + count, pick(codes, kTables.gather[m]));
    count += static_cast<std::size_t>(std::popcount(m));
  };
  const auto edge = [&](std::size_t g) {
    // The first group has no previous number; the last group may be shorter and is padded with its last number.
    std::uint16_t nine[9];
    nine[0] = g == 0 ? 0 : values[8 * g - 1];
    for (std::size_t i = 0; i < 8; ++i) nine[i + 1] = 8 * g + i < n ? values[8 * g + i] : nine[i];
    eight(g, load(nine + 1), load(nine));
  };
  std::memset(packed, 0, 8 * words(n));
  edge(0);
  for (std::size_t g = 1; g < n / 8; ++g) eight(g, load(values + 8 * g), load(values + 8 * g - 1));
  if (n > 8 && n % 8 != 0) edge(n / 8);
  if (count == 0) return 0;
  std::memset(found + count, 0, 128);
  std::uint8_t* const large = packed + 8 * words(n);
  std::uint8_t* const low = large + 8 * words(count);
  std::uint16_t* larger = scratch.large;
  std::size_t num_larger = 0;
  for (std::size_t i = 0; i < count; ++i) low[i] = static_cast<std::uint8_t>(found[i]);
  for (std::size_t g = 0; g < 8 * words(count); ++g) {
    const Eight codes = load(found + 8 * g);
    const unsigned m = above(codes, 255);
    large[g] = static_cast<std::uint8_t>(m);
    store(larger + num_larger, pick(codes, kTables.gather[m]));
    num_larger += static_cast<std::size_t>(std::popcount(m));
  }
  std::uint8_t* const high = low + count;
  for (std::size_t i = 0; i < num_larger; ++i) high[i] = static_cast<std::uint8_t>(larger[i] >> 8);
  return static_cast<std::size_t>(high + num_larger - packed);
}

CLONES
bool unsift(const std::uint8_t* packed, std::size_t size, std::uint16_t* values, std::size_t n, Scratch& scratch) {
  if (size == 0) {
    std::memset(values, 0, 2 * n);
    return true;
  }
  const std::size_t first = 8 * words(n);
  if (size < first) return false;
  const std::size_t count = bits_set(packed, words(n));
  const std::size_t second = 8 * words(count);
  if (size < first + second + count) return false;
  const std::uint8_t* const large = packed + first;
  const std::uint8_t* const low = large + second;
  const std::uint8_t* const high = low + count;
  const std::size_t num_larger = bits_set(large, words(count));
  if (size != first + second + count + num_larger) return false;

  std::uint16_t* larger = scratch.large;
  for (std::size_t i = 0; i < num_larger; ++i) larger[i] = static_cast<std::uint16_t>(high[i] << 8);

  // sums[i + 1] is the number after the first i + 1 differences that are not 0.
  std::uint16_t* sums = scratch.found;
  for (std::size_t i = 0; i < count; ++i) sums[i + 1] = low[i];
  Eight sum = {};
  sums[0] = 0;
  for (std::size_t g = 0; g < (count + 7) / 8; ++g) {
    const unsigned m = large[g];
    const Eight top = pick(load(larger), kTables.spread[m]) & load(kTables.set[m]);
    larger += std::popcount(m);
    Eight d = unzigzag(load(sums + 1 + 8 * g) | top);
    // Three steps of shifting lanes up and adding give running sums of eight.
    const Eight zero = {};
#ifdef __clang__
    d += __builtin_shufflevector(zero, d, 0, 8, 9, 10, 11, 12, 13, 14);
    d += __builtin_shufflevector(zero, d, 0, 1, 8, 9, 10, 11, 12, 13);
    d += __builtin_shufflevector(zero, d, 0, 1, 2, 3, 8, 9, 10, 11);
    sum = __builtin_shufflevector(sum, sum, 7, 7, 7, 7, 7, 7, 7, 7) + d;
#else
    d += __builtin_shuffle(zero, d, Eight{0, 8, 9, 10, 11, 12, 13, 14});
    d += __builtin_shuffle(zero, d, Eight{0, 1, 8, 9, 10, 11, 12, 13});
    d += __builtin_shuffle(zero, d, Eight{0, 1, 2, 3, 8, 9, 10, 11});
    sum = __builtin_shuffle(sum, Eight{7, 7, 7, 7, 7, 7, 7, 7}) + d;
#endif
    store(sums + 1 + 8 * g, sum);
  }

  const std::uint16_t* at = sums;
  for (std::size_t w = 0; w < words(n); ++w) {
    const Word bits = word_at(packed, w);
    std::uint16_t last[64];
    std::uint16_t* const to = n - 64 * w < 64 ? last : values + 64 * w;
    for (int g = 0; g < 8; ++g) {
      const unsigned m = bits >> (8 * g) & 255;
      store(to + 8 * g, pick(load(at + (m & 1)), kTables.newest[m]));
      at += std::popcount(m);
    }
    if (to == last) std::memcpy(values + 64 * w, last, 2 * (n - 64 * w));
  }
  return true;
}

}  // namespace errai::store
