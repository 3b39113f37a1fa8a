// Transposing rows of hands to lanes and back.  Between two streets every hand moves to another position, which is the
// same for all lines.  With the lines as lanes of vectors, a hand moves with all its lines at once.  Internal linkage,
// see walk.cpp.
#pragma once

#include "vector.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

// Number of vectors of W values that hold so many lanes.
template <int W>
constexpr int vectors_for(int lanes) {
  return (lanes + W - 1) / W;
}

// Transposes W rows of hands from one hand on: block[l] has the lanes of hand l.
template <class T, int W>
INLINED inline void turn(const T* const* from, int hand, L<T, W>* block) {
  for (int l = 0; l < W; ++l) std::memcpy(&block[l], from[l] + hand, sizeof block[l]);
  transpose<T, W>(block);
}

// out[hand * groups + m] receives lanes m * W to m * W + W - 1 of that hand. row(lane) returns where a lane's hands
// begin, and is called for lanes up to the end of the last vector.
template <class T, int W, class Row>
INLINED inline void to_lanes(int hands, int groups, Row&& row, L<T, W>* out) {
  for (int m = 0; m < groups; ++m) {
    const T* from[W];
    for (int l = 0; l < W; ++l) from[l] = row(m * W + l);
    for (int h = 0; h < hands; h += W) {
      L<T, W> block[W];
      turn<T, W>(from, h, block);
      for (int l = 0; l < W; ++l) out[(h + l) * groups + m] = block[l];
    }
  }
}

// The inverse: hand h of the rows is in[place(h) * groups + m], and row(lane) returns where a lane's hands go.
template <class T, int W, class Place, class Row>
INLINED inline void from_lanes(int hands, int lanes, Place&& place, const L<T, W>* in, Row&& row) {
  const int groups = vectors_for<W>(lanes);
  for (int m = 0; m < groups; ++m) {
    const int used = lanes - m * W < W ? lanes - m * W : W;
    T* to[W];
    for (int l = 0; l < used; ++l) to[l] = row(m * W + l);
    for (int h = 0; h < hands; h += W) {
      L<T, W> block[W];
      for (int l = 0; l < W; ++l) block[l] = in[int64_t(place(h + l < hands ? h + l : h)) * groups + m];
      transpose<T, W>(block);
      if (used == W) {
        for (int l = 0; l < W; ++l) std::memcpy(to[l] + h, &block[l], sizeof block[l]);
      } else {
        for (int l = 0; l < W; ++l)
          if (l < used) std::memcpy(to[l] + h, &block[l], sizeof block[l]);
      }
    }
  }
}

}  // namespace
}  // namespace ERRAI_ISA
}  // namespace errai
