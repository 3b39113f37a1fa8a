// Vectors of the instruction set that this translation unit is compiled for, with the operations that the walk needs.
// Everything has internal linkage, see walk.cpp.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#if ERRAI_VECTOR_BYTES > 16
#include <immintrin.h>
#endif

// Bodies of inner loops must be inlined, whatever their size; functions that are APART show up in profiles.
#define INLINED __attribute__((always_inline))
#define APART __attribute__((noinline))

namespace errai {
namespace ERRAI_ISA {
namespace {

template <class T, int W>
struct VectorOf {
  typedef T type __attribute__((vector_size(W * int(sizeof(T)))));
};
// A vector of W values: if there are few lanes, a narrow one takes less room in the caches.
template <class T, int W>
using L = typename VectorOf<T, W>::type;

// The widest vector, and a vector of another type with the same number of lanes.
template <class T>
struct Vec {
  static constexpr int N = ERRAI_VECTOR_BYTES / int(sizeof(T));
};
template <class T>
using V = L<T, Vec<T>::N>;
template <class T, class Other>
using Packed = L<Other, Vec<T>::N>;

// How many lanes of a vector count: all, or the first n.
struct Whole {};
struct Part {
  int n;
};

template <int I>
using Const = std::integral_constant<int, I>;

// Calls body(h, Whole, U) for every U whole vectors of hands, then body(h, ..., 1) for the rest.  Computing several
// vectors at once hides latencies that exceed a processor's reordering window.
template <int N, int U = 1, class Body>
INLINED inline void by_vectors(int hands, Body&& body) {
  int h = 0;
  if constexpr (U > 1)
    for (; h + U * N <= hands; h += U * N) body(h, Whole{}, Const<U>{});
  for (; h + N <= hands; h += N) body(h, Whole{}, Const<1>{});
  if (h < hands) body(h, Part{hands - h}, Const<1>{});
}

#if ERRAI_VECTOR_BYTES == 64
// The mask is by bytes, so that one function serves all types.
template <class P>
inline P load_bytes(const void* from, int bytes) {
  P out;
  const auto mask = _bzhi_u64(~uint64_t(0), unsigned(bytes));
  if constexpr (sizeof(P) == 128) {
    const __m512i halves[2] = {_mm512_maskz_loadu_epi8(mask, from),
                               _mm512_maskz_loadu_epi8(_bzhi_u64(~uint64_t(0), bytes > 64 ? unsigned(bytes) - 64 : 0),
                                                       static_cast<const char*>(from) + 64)};
    std::memcpy(&out, halves, sizeof out);
  } else if constexpr (sizeof(P) == 64) {
    const __m512i v = _mm512_maskz_loadu_epi8(mask, from);
    std::memcpy(&out, &v, sizeof out);
  } else if constexpr (sizeof(P) == 32) {
    const __m256i v = _mm256_maskz_loadu_epi8(uint32_t(mask), from);
    std::memcpy(&out, &v, sizeof out);
  } else {
    const __m128i v = _mm_maskz_loadu_epi8(uint16_t(mask), from);
    std::memcpy(&out, &v, sizeof out);
  }
  return out;
}

template <class P>
inline void store_bytes(void* to, P value, int bytes) {
  const auto mask = _bzhi_u64(~uint64_t(0), unsigned(bytes));
  if constexpr (sizeof(P) == 64) {
    __m512i v;
    std::memcpy(&v, &value, sizeof v);
    _mm512_mask_storeu_epi8(to, mask, v);
  } else if constexpr (sizeof(P) == 32) {
    __m256i v;
    std::memcpy(&v, &value, sizeof v);
    _mm256_mask_storeu_epi8(to, uint32_t(mask), v);
  } else {
    __m128i v;
    std::memcpy(&v, &value, sizeof v);
    _mm_mask_storeu_epi8(to, uint16_t(mask), v);
  }
}
#else
// Copies fewer than SIZE bytes, in pieces of powers of two; their number is a multiple of LEAST.
template <int SIZE, int LEAST>
inline void copy_pieces(char* to, const char* from, int bytes) {
  if constexpr (SIZE > LEAST) {
    constexpr int HALF = SIZE / 2;
    if (bytes & HALF) std::memcpy(to, from, HALF), to += HALF, from += HALF;
    copy_pieces<HALF, LEAST>(to, from, bytes);
  }
}

template <class P>
inline P load_bytes(const void* from, int bytes) {
  P out{};
  copy_pieces<sizeof(P), sizeof(out[0])>(reinterpret_cast<char*>(&out), static_cast<const char*>(from), bytes);
  return out;
}

template <class P>
inline void store_bytes(void* to, P value, int bytes) {
  copy_pieces<sizeof(P), sizeof(value[0])>(static_cast<char*>(to), reinterpret_cast<const char*>(&value), bytes);
}
#endif

// Conversions, lane by lane.  GCC converts 8-bit and 16-bit integers inefficiently, so the two directions are written
// out.
template <class T, class From>
inline V<T> convert(Packed<T, From> packed) {
  if constexpr (std::is_same_v<T, From>) {
    return packed;
  } else {
#if ERRAI_VECTOR_BYTES == 64
    if constexpr (sizeof(T) == 4 && sizeof(From) == 2) {
      __m256i bits;
      std::memcpy(&bits, &packed, sizeof bits);
      return _mm512_maskz_cvtepi32_ps(0xffff, std::is_signed_v<From> ? _mm512_maskz_cvtepi16_epi32(0xffff, bits)
                                                                     : _mm512_maskz_cvtepu16_epi32(0xffff, bits));
    } else if constexpr (sizeof(T) == 4 && sizeof(From) == 1) {
      __m128i bits;
      std::memcpy(&bits, &packed, sizeof bits);
      return _mm512_maskz_cvtepi32_ps(0xffff, _mm512_maskz_cvtepu8_epi32(0xffff, bits));
    }
#elif ERRAI_VECTOR_BYTES == 32
    if constexpr (sizeof(T) == 4 && sizeof(From) == 2) {
      __m128i bits;
      std::memcpy(&bits, &packed, sizeof bits);
      return _mm256_cvtepi32_ps(std::is_signed_v<From> ? _mm256_cvtepi16_epi32(bits) : _mm256_cvtepu16_epi32(bits));
    } else if constexpr (sizeof(T) == 4 && sizeof(From) == 1) {
      return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&packed))));
    }
#endif
    return __builtin_convertvector(packed, V<T>);
  }
}

// Returns the lowest 8 or 16 bits of 32-bit lanes.
template <class Int>
inline Packed<float, Int> low_bits(Packed<float, int32_t> bits) {
  [[maybe_unused]] constexpr bool BYTES = sizeof(Int) == 1;
  Packed<float, Int> out;
#if ERRAI_VECTOR_BYTES == 64
  __m512i v;
  std::memcpy(&v, &bits, sizeof v);
  if constexpr (BYTES) {
    const __m128i low = _mm512_maskz_cvtepi32_epi8(0xffff, v);
    std::memcpy(&out, &low, sizeof out);
  } else {
    const __m256i low = _mm512_maskz_cvtepi32_epi16(0xffff, v);
    std::memcpy(&out, &low, sizeof out);
  }
#elif ERRAI_VECTOR_BYTES == 32
  __m256i v;
  std::memcpy(&v, &bits, sizeof v);
  const __m256i halves = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1,  //
                                          0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i quarters = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,  //
                                            -1, -1, -1, -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i low = _mm256_shuffle_epi8(v, BYTES ? quarters : halves);
  const __m128i packed = BYTES ? _mm_or_si128(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1))
                               : _mm256_castsi256_si128(_mm256_permute4x64_epi64(low, 8));
  std::memcpy(&out, &packed, sizeof out);
#else
  out = __builtin_convertvector(bits, Packed<float, Int>);
#endif
  return out;
}

// Loads values of any type as a vector of T; lanes past a Part are 0.
template <class T, class From>
inline V<T> load(const From* from, Whole = {}) {
  Packed<T, From> packed;
  std::memcpy(&packed, from, sizeof packed);
  return convert<T, From>(packed);
}

template <class T, class From>
inline V<T> load(const From* from, Part part) {
  return convert<T, From>(load_bytes<Packed<T, From>>(from, part.n * int(sizeof(From))));
}

template <class T>
inline void store(T* to, V<T> v, Whole = {}) {
  std::memcpy(to, &v, sizeof v);
}

template <class T>
inline void store(T* to, V<T> v, Part part) {
  store_bytes<V<T>>(to, v, part.n * int(sizeof(T)));
}

// Returns the nearest integers (ties to even) in 8 or 16 bits, for values that fit: adding 1.5 x 2^23 leaves the
// integer in the low bits of a float.
template <class Int>
inline Packed<float, Int> rounded(V<float> v) {
  static_assert(sizeof(Int) <= 2);
  const V<float> shifted = v + 12582912.0f;
  Packed<float, int32_t> bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  return low_bits<Int>(bits);
}

template <class Int>
inline void store_rounded(Int* to, V<float> v, Whole) {
  const auto packed = rounded<Int>(v);
  std::memcpy(to, &packed, sizeof packed);
}

template <class Int>
inline void store_rounded(Int* to, V<float> v, Part part) {
  store_bytes(to, rounded<Int>(v), part.n * int(sizeof(Int)));
}

// Stores two vectors at once, which packs better.
template <class Int>
inline void store_rounded(Int* to, V<float> first, V<float> second) {
#if ERRAI_VECTOR_BYTES == 64
  const __m512i low = _mm512_maskz_cvtps_epi32(0xffff, first), high = _mm512_maskz_cvtps_epi32(0xffff, second);
  const __m512i packed = std::is_signed_v<Int> ? _mm512_packs_epi32(low, high) : _mm512_packus_epi32(low, high);
  const __m512i halves = _mm512_maskz_permutexvar_epi64(0xff, _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed);
  if constexpr (sizeof(Int) == 1)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_maskz_cvtepi16_epi8(0xffffffff, halves));
  else _mm512_storeu_si512(to, halves);
#elif ERRAI_VECTOR_BYTES == 32
  const __m256i low = _mm256_cvtps_epi32(first), high = _mm256_cvtps_epi32(second);
  const __m256i packed = std::is_signed_v<Int> ? _mm256_packs_epi32(low, high) : _mm256_packus_epi32(low, high);
  const __m256i halves = _mm256_permute4x64_epi64(packed, 0xd8);
  if constexpr (sizeof(Int) == 1) {
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
  } else {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves);
  }
#else
  store_rounded(to, first, Whole{});
  store_rounded(to + Vec<float>::N, second, Whole{});
#endif
}

template <class T>
inline V<T> splat(T x) {
  return x - V<T>{};  // not x + 0, which is not x for -0, so that nothing is left to compute
}

template <class T>
inline V<T> magnitude(V<T> v) {
  using I = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  Packed<T, I> bits;
  std::memcpy(&bits, &v, sizeof bits);
  bits &= I(~(I(1) << (sizeof(I) * 8 - 1)));
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

// Returns a where it is greater, else b.  GCC compares and selects where it is not told that one instruction does both.
template <class T>
inline V<T> max(V<T> a, V<T> b) {
#if ERRAI_VECTOR_BYTES == 64
  if constexpr (sizeof(T) == 4) return _mm512_maskz_max_ps(0xffff, a, b);
  else return _mm512_maskz_max_pd(0xff, a, b);
#elif ERRAI_VECTOR_BYTES == 32
  if constexpr (sizeof(T) == 4) return _mm256_max_ps(a, b);
  else return _mm256_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}

// Returns the lanes that count; the others become 0.
template <class T>
inline V<T> only(V<T> v, Whole) {
  return v;
}

template <class T>
inline V<T> only(V<T> v, Part part) {
  using I = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  Packed<T, I> index;
  for (int i = 0; i < Vec<T>::N; ++i) index[i] = i;
  return index < I(part.n) ? v : V<T>{};
}

template <class T, int D = Vec<T>::N / 2>
inline T largest(V<T> v) {
  if constexpr (D >= 1) {
    V<T> other;
    for (int i = 0; i < Vec<T>::N; ++i) other[i] = v[i ^ D];
    return largest<T, D / 2>(max<T>(v, other));
  }
  return v[0];
}

// Returns the sum of all lanes.
template <class T, int D = Vec<T>::N / 2>
inline T total(V<T> v) {
  if constexpr (D >= 1) {
    V<T> other;
    for (int i = 0; i < Vec<T>::N; ++i) other[i] = v[i ^ D];
    return total<T, D / 2>(v + other);
  }
  return v[0];
}

// Returns 1 / x to the type's precision, for normal x: division is several times slower than an estimate with a Newton
// step.
template <class T>
inline V<T> reciprocal(V<T> x) {
#if ERRAI_VECTOR_BYTES == 64
  if constexpr (std::is_same_v<T, float>) {
    const V<T> y = _mm512_maskz_rcp14_ps(0xffff, x);
    return y * (T(2) - x * y);
  }
#elif ERRAI_VECTOR_BYTES == 32
  if constexpr (std::is_same_v<T, float>) {
    const V<T> y = _mm256_rcp_ps(x);
    return y * (T(2) - x * y);
  }
#endif
  return splat<T>(1) / x;
}

// Calls body(W) for the narrowest vectors that hold so many lanes in one, or for whole vectors.
template <class T, class Body>
INLINED inline void by_lanes(int lanes, Body&& body) {
  constexpr int N = Vec<T>::N;
  if constexpr (ERRAI_VECTOR_BYTES >= 64)
    if (lanes <= N / 4) return body(Const<N / 4>{});
  if constexpr (ERRAI_VECTOR_BYTES >= 32)
    if (lanes <= N / 2) return body(Const<N / 2>{});
  body(Const<N>{});
}

// Returns the vector whose lane j is lane from(j) of the rows a and b, of which b's lanes are numbered from W on.
template <class T, int W, class From>
INLINED inline L<T, W> shuffled(const L<T, W>& a, const L<T, W>& b, From from) {
#if defined(__clang__)
  L<T, W> out;
  for (int j = 0; j < W; ++j) out[j] = from(j) < W ? a[from(j)] : b[from(j) - W];
  return out;
#else
  using I = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  L<I, W> lanes{};
  for (int j = 0; j < W; ++j) lanes[j] = I(from(j));
  return __builtin_shuffle(a, b, lanes);
#endif
}

// One step of a square transpose: two rows exchange the blocks of D lanes that are on the wrong side.
template <class T, int W, int D>
INLINED inline void exchange(L<T, W>& a, L<T, W>& b) {
  const L<T, W> first = a;
  a = shuffled<T, W>(first, b, [](int j) INLINED { return (j & D) ? W + j - D : j; });
  b = shuffled<T, W>(first, b, [](int j) INLINED { return (j & D) ? W + j : j + D; });
}

// Joins the lower halves of the pieces of P lanes of two rows, D lanes of one and D of the other in turns, or the upper
// halves.
template <class T, int W, int P, int D, bool UPPER>
INLINED inline L<T, W> interleaved(const L<T, W>& a, const L<T, W>& b) {
  return shuffled<T, W>(a, b, [](int j) INLINED {
    const int in = j % P, lane = j - in + (UPPER ? P / 2 : 0) + in / (2 * D) * D + in % D;
    return (in / D) % 2 ? W + lane : lane;
  });
}

// Transposes W rows of W lanes.  Processors exchange pieces of 16 bytes at will, but interleave faster within them.
template <class T, int W, int D = W / 2>
INLINED inline void transpose(L<T, W>* rows) {
  constexpr int PIECE = 16 / int(sizeof(T));
  if constexpr (D >= PIECE) {
    for (int i = 0; i < W; ++i)
      if (!(i & D)) exchange<T, W, D>(rows[i], rows[i + D]);
    transpose<T, W, D / 2>(rows);
  } else if constexpr (PIECE == 4 && W >= 4) {
    for (int i = 0; i < W; i += 4) {
      L<T, W>* const r = rows + i;
      const L<T, W> low01 = interleaved<T, W, 4, 1, false>(r[0], r[1]),
                    high01 = interleaved<T, W, 4, 1, true>(r[0], r[1]);
      const L<T, W> low23 = interleaved<T, W, 4, 1, false>(r[2], r[3]),
                    high23 = interleaved<T, W, 4, 1, true>(r[2], r[3]);
      r[0] = interleaved<T, W, 4, 2, false>(low01, low23);
      r[1] = interleaved<T, W, 4, 2, true>(low01, low23);
      r[2] = interleaved<T, W, 4, 2, false>(high01, high23);
      r[3] = interleaved<T, W, 4, 2, true>(high01, high23);
    }
  } else if constexpr (D >= 1) {
    for (int i = 0; i < W; i += 2) exchange<T, W, 1>(rows[i], rows[i + 1]);
  }
}

}  // namespace
}  // namespace ERRAI_ISA
}  // namespace errai
