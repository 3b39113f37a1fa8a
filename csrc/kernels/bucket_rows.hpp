// Operations at one decision node of one board when the hands of a bucket share their strategy.  A table has a row for
// each (decision node, action) of the street and a column for each bucket.  A board knows the buckets of its hands (its
// *live* buckets) and the position of each hand's bucket among them.  Regrets are read, matched and learnt bucket by
// bucket; only reach and values are stored by hand.  Since the strategy is the same for all hands of a bucket, the sum
// of their regrets follows from the sums of the values of the actions.  Internal linkage, see walk.cpp.
#pragma once

#include "decisions.hpp"
#include "tree.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

// The hands of one player on one board, in buckets.
template <class T>
struct BoardBuckets {
  int live_count;
  const int32_t* live;   // [live_count] columns of the table, all different
  const int32_t* place;  // [hands] position of a hand's bucket among them
  const T* weight;       // [hands] weight of a hand in the sums of its bucket; null for 1
  int hands;
};

// Gathers the elements of `from` at N positions.
template <class T>
INLINED inline V<T> gather(const T* from, const int32_t* place) {
#if ERRAI_VECTOR_BYTES == 64
  if constexpr (sizeof(T) == 4) {
    return _mm512_mask_i32gather_ps(V<T>{}, 0xffff, _mm512_loadu_si512(place), from, 4);
  } else {
    return _mm512_mask_i32gather_pd(V<T>{}, 0xff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(place)), from, 8);
  }
#elif ERRAI_VECTOR_BYTES == 32
  if constexpr (sizeof(T) == 4) {
    const __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    return _mm256_mask_i32gather_ps(V<T>{}, from, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(place)), all, 4);
  } else {
    const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    return _mm256_mask_i32gather_pd(V<T>{}, from, _mm_loadu_si128(reinterpret_cast<const __m128i*>(place)), all, 8);
  }
#else
  V<T> out;
  for (int i = 0; i < Vec<T>::N; ++i) out[i] = from[place[i]];
  return out;
#endif
}

// Computes the strategy of a node for each live bucket: rows [A, live_count] of `share`, `stride` apart.
template <int A, class T>
APART void match_buckets(const T* table, int64_t width, const BoardBuckets<T> board, const int actions, const T tie,
                         T* share, const int stride) {
  constexpr int N = Vec<T>::N;
  const int count = A ? A : actions;
  for (int a = 0; a < count; ++a) {
    const T* row = table + a * width;
    T* to = share + int64_t(a) * stride;
    int l = 0;
    for (; l + N <= board.live_count; l += N) store<T>(to + l, gather<T>(row, board.live + l));
    for (; l < board.live_count; ++l) to[l] = row[board.live[l]];
  }
  const PlainRows<T, T> rows{share, stride};
  by_vectors<N, TOGETHER<A>>(board.live_count, [&](int l, auto, auto together) INLINED {
    constexpr int U = together;
    Mix<T, A, U> mix;
    mix.match(rows, count, l, Whole{}, tie);
    for (int a = 0; a < count; ++a)
      for (int u = 0; u < U; ++u) store<T>(share + int64_t(a) * stride + l + u * N, mix.share[a][u]);
  });
}

// Multiplies a player's reach through an own node: row `from` into A rows of `to`.
template <int A, class T>
APART void descend_buckets(const T* share, const int share_stride, const BoardBuckets<T> board, const int actions,
                           const T* from, T* to, const int stride) {
  constexpr int N = Vec<T>::N;
  const int count = A ? A : actions;
  int h = 0;
  for (; h + N <= board.hands; h += N) {
    const V<T> reach = load<T, T>(from + h);
    for (int a = 0; a < count; ++a)
      store<T>(to + int64_t(a) * stride + h, reach * gather<T>(share + int64_t(a) * share_stride, board.place + h));
  }
  for (; h < board.hands; ++h)
    for (int a = 0; a < count; ++a)
      to[int64_t(a) * stride + h] = from[h] * share[int64_t(a) * share_stride + board.place[h]];
}

// Computes the value of an own node, hand by hand.
template <int A, class T>
APART void mix_buckets(const T* share, const int share_stride, const BoardBuckets<T> board, const int actions,
                       const T* child, T* out, const int stride) {
  constexpr int N = Vec<T>::N;
  const int count = A ? A : actions;
  int h = 0;
  for (; h + N <= board.hands; h += N) {
    V<T> value{};
    for (int a = 0; a < count; ++a)
      value +=
          gather<T>(share + int64_t(a) * share_stride, board.place + h) * load<T, T>(child + int64_t(a) * stride + h);
    store<T>(out + h, value);
  }
  for (; h < board.hands; ++h) {
    T value = 0;
    for (int a = 0; a < count; ++a)
      value += share[int64_t(a) * share_stride + board.place[h]] * child[int64_t(a) * stride + h];
    out[h] = value;
  }
}

// Adds up a row of hands by bucket; `sum` has one entry per live bucket.
template <class T>
INLINED inline void add_by_bucket(const BoardBuckets<T>& board, const T* row, T* sum) {
  if (board.weight) {
    for (int h = 0; h < board.hands; ++h) sum[board.place[h]] += board.weight[h] * row[h];
  } else {
    for (int h = 0; h < board.hands; ++h) sum[board.place[h]] += row[h];
  }
}

// Adds an iteration's regrets to a node, from the values of its actions; `room` holds [A, stride] sums.
template <int A, class T>
APART void learn_buckets(const T* share, const int share_stride, const BoardBuckets<T> board, const int actions,
                         const T* child, const int stride, T* regrets, const int64_t width, const T weight,
                         const bool floor, T* room) {
  const int count = A ? A : actions;
  for (int a = 0; a < count; ++a)
    std::memset(room + int64_t(a) * share_stride, 0, size_t(board.live_count) * sizeof(T));
  // All actions of a hand are added together: neighbouring hands are often in one bucket, and each sum depends on the
  // last.
  for (int h = 0; h < board.hands; ++h) {
    const int32_t place = board.place[h];
    const T counts = board.weight ? board.weight[h] : T(1);
    for (int a = 0; a < count; ++a) room[int64_t(a) * share_stride + place] += counts * child[int64_t(a) * stride + h];
  }
  for (int l = 0; l < board.live_count; ++l) {
    T value = 0;
    for (int a = 0; a < count; ++a) value += share[int64_t(a) * share_stride + l] * room[int64_t(a) * share_stride + l];
    for (int a = 0; a < count; ++a) {
      T& regret = regrets[a * width + board.live[l]];
      const T learnt = regret + (room[int64_t(a) * share_stride + l] - value) * weight;
      regret = floor && learnt < 0 ? T(0) : learnt;
    }
  }
}

// Adds the strategy of a node, weighted by a row of reach, to the sums of the average.
template <int A, class T>
APART void average_buckets(const T* share, const int share_stride, const BoardBuckets<T> board, const int actions,
                           const T* reach, T* sums, const int64_t width, const T weight, T* room) {
  const int count = A ? A : actions;
  std::memset(room, 0, size_t(board.live_count) * sizeof(T));
  add_by_bucket(board, reach, room);
  for (int l = 0; l < board.live_count; ++l) {
    const T brought = room[l] * weight;
    for (int a = 0; a < count; ++a) sums[a * width + board.live[l]] += brought * share[int64_t(a) * share_stride + l];
  }
}

// Computes the value of a node where each hand takes its best action, and records the action: the rows [A, hands] of
// `choice` become 65535 for the first best action and 0 for the others.
template <class T>
APART void choose_best(const int actions, const int hands, const T* child, T* out, const int stride, uint16_t* choice) {
  for (int h = 0; h < hands; ++h) out[h] = child[h];
  for (int a = 1; a < actions; ++a)
    for (int h = 0; h < hands; ++h)
      out[h] = child[int64_t(a) * stride + h] > out[h] ? child[int64_t(a) * stride + h] : out[h];
  if (!choice) return;
  for (int h = 0; h < hands; ++h) {
    bool open = true;
    for (int a = 0; a < actions; ++a) {
      const bool best = open && child[int64_t(a) * stride + h] >= out[h];
      choice[int64_t(a) * hands + h] = best ? 65535 : 0;
      open = open && !best;
    }
  }
}

}  // namespace
}  // namespace ERRAI_ISA
}  // namespace errai
