// Turning rows of hands into lanes and back.  Between two streets every hand moves to another place, the same for all
// lines: with the lines as lanes of vectors, a hand moves with all its lines at once.  Internal linkage, see walk.cpp.
#pragma once

#include "vector.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

// Vectors that hold so many lanes.
template <class T>
constexpr int vectors_for(int lanes) {
  return (lanes + Vec<T>::N - 1) / Vec<T>::N;
}

// out[hand * groups + m] holds lanes m * N and following of that hand; row(lane) is where a lane's hands begin, and may
// be asked for lanes up to the end of the last vector.
template <class T, class Row>
INLINED inline void to_lanes(int hands, int groups, Row&& row, V<T>* out) {
  constexpr int N = Vec<T>::N;
  for (int m = 0; m < groups; ++m) {
    const T* from[N];
    for (int l = 0; l < N; ++l) from[l] = row(m * N + l);
    for (int h = 0; h < hands; h += N) {
      V<T> block[N];
      for (int l = 0; l < N; ++l) block[l] = load<T, T>(from[l] + h);
      transpose<T>(block);
      for (int l = 0; l < N; ++l) out[(h + l) * groups + m] = block[l];
    }
  }
}

// The opposite: hand h of the rows is in[place(h) * groups + m]; row(lane) is where a lane's hands go.
template <class T, class Place, class Row>
INLINED inline void from_lanes(int hands, int lanes, Place&& place, const V<T>* in, Row&& row) {
  constexpr int N = Vec<T>::N;
  const int groups = vectors_for<T>(lanes);
  for (int m = 0; m < groups; ++m) {
    const int used = lanes - m * N < N ? lanes - m * N : N;
    T* to[N];
    for (int l = 0; l < used; ++l) to[l] = row(m * N + l);
    for (int h = 0; h < hands; h += N) {
      V<T> block[N];
      for (int l = 0; l < N; ++l) block[l] = in[int64_t(place(h + l < hands ? h + l : h)) * groups + m];
      transpose<T>(block);
      if (used == N) {
        for (int l = 0; l < N; ++l) store<T>(to[l] + h, block[l]);
      } else {
        for (int l = 0; l < N; ++l)
          if (l < used) store<T>(to[l] + h, block[l]);
      }
    }
  }
}

}  // namespace
}  // namespace ERRAI_ISA
}  // namespace errai
