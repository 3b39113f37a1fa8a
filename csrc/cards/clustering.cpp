// The expensive steps of k-means: the nearest centroid of each point, and the sums of the points of each cluster.
//
// No point is compared with all centroids.  There is an axis u along which the distance of two points never exceeds
// their true distance: |u.x - u.c| <= |x - c| for a unit vector and the Euclidean distance, and for a u with entries
// from -1 to 1 and the sum of absolute differences.  The centroids are sorted by u.c.  The search goes outwards from
// u.x, and ends where the distance along the axis alone exceeds the best distance so far.  Of equally near centroids
// the one with the lowest number is chosen.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "module.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace errai::cards {
namespace {

constexpr size_t kWidth = 4, kBlock = 1024;
typedef float Floats __attribute__((vector_size(16)));
typedef int32_t Signs __attribute__((vector_size(16)));
typedef int64_t Halves __attribute__((vector_size(16)));

constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline Floats load(const float* at) {
  Floats value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Returns the sum of squares or of absolute values of differences; the arrays have a multiple of four numbers.
template <bool kAbsolute>
inline float difference(const float* a, const float* b, size_t width) {
  Floats total = {};
  for (size_t j = 0; j < width; j += kWidth) {
    const Floats apart = load(a + j) - load(b + j);
    if constexpr (kAbsolute) total += (Floats)((Signs)apart & 0x7fffffff);
    else total += apart * apart;
  }
  return (total[0] + total[1]) + (total[2] + total[3]);
}

// Centroids in ascending order of their position along the axis, four at a time side by side.
struct Centroids {
  size_t size, blocks;
  std::vector<float> lanes;      // [blocks, size, 4]; infinitely far beyond the last centroid
  std::vector<float> low, high;  // by block: the positions of its first and last centroid
  std::vector<int32_t> number;   // [blocks * 4]

  Centroids(Input<float, 2> rows, Input<float, 1> places, Input<int32_t, 1> numbers)
      : size(rows.shape(1)), blocks((rows.shape(0) + kWidth - 1) / kWidth), lanes(blocks * size * kWidth, kInfinity),
        number(blocks * kWidth, std::numeric_limits<int32_t>::max()) {
    const size_t count = rows.shape(0);
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < size; ++j)
        lanes[(i / kWidth * size + j) * kWidth + i % kWidth] = rows.data()[i * size + j];
      number[i] = numbers.data()[i];
      if (i % kWidth == 0) low.push_back(places.data()[i]);
      if (i % kWidth == kWidth - 1 || i == count - 1) high.push_back(places.data()[i]);
    }
  }
};

// Returns the number of the nearest centroid and its distance (Euclidean: squared).
template <bool kAbsolute>
std::pair<int32_t, float> nearest_of(const Centroids& centroids, const float* point, float along) {
  size_t right = std::lower_bound(centroids.high.begin(), centroids.high.end(), along) - centroids.high.begin();
  size_t left = right;
  int32_t best = std::numeric_limits<int32_t>::max();
  float least = kInfinity;
  const auto look = [&](size_t block) {
    const float* at = &centroids.lanes[block * centroids.size * kWidth];
    Floats total = {};
    for (size_t j = 0; j < centroids.size; ++j, at += kWidth) {
      const Floats apart = point[j] - load(at);
      if constexpr (kAbsolute) total += (Floats)((Signs)apart & 0x7fffffff);
      else total += apart * apart;
    }
    const auto nearer = (Halves)(total <= Floats{} + least);
    if (!(nearer[0] | nearer[1])) return;
    for (size_t lane = 0; lane < kWidth; ++lane) {
      const int32_t number = centroids.number[block * kWidth + lane];
      if (total[lane] < least || (total[lane] == least && number < best)) {
        least = total[lane];
        best = number;
      }
    }
  };
  // The limit is slightly above the best distance, so that rounding cannot hide a centroid.
  const auto too_far = [&](float gap) {
    gap = std::max(gap, 0.0f);  // the first block may extend to both sides of the point
    return (kAbsolute ? gap : gap * gap) - 1e-6f > least * 1.0001f;
  };
  while (left > 0 || right < centroids.blocks) {
    const float to_left = left > 0 ? along - centroids.high[left - 1] : kInfinity;
    const float to_right = right < centroids.blocks ? centroids.low[right] - along : kInfinity;
    if (to_left <= to_right) {
      if (too_far(to_left)) break;
      look(--left);
    } else {
      if (too_far(to_right)) break;
      look(right++);
    }
  }
  return {best, least};
}

template <class T>
void nearest(Input<T, 2> points, float scale, Input<float, 1> axis, Input<float, 2> rows, Input<float, 1> places,
             Input<int32_t, 1> numbers, bool absolute, int threads, Output<int32_t, 1> labels,
             Output<float, 1> distances) {
  nb::gil_scoped_release release;
  const Centroids centroids(rows, places, numbers);
  const size_t size = points.shape(1);
  in_parallel(points.shape(0), kBlock, threads, [&] {
    return [&, point = std::vector<float>(size)](size_t first, size_t last) mutable {
      for (size_t i = first; i < last; ++i) {
        float along = 0;
        for (size_t j = 0; j < size; ++j) {
          point[j] = scale * static_cast<float>(points.data()[i * size + j]);
          along += point[j] * axis.data()[j];
        }
        const auto [number, distance] = absolute ? nearest_of<true>(centroids, point.data(), along)
                                                 : nearest_of<false>(centroids, point.data(), along);
        labels.data()[i] = number;
        distances.data()[i] = distance;
      }
    };
  });
}

// Sums weight * point by label; threads divide the columns, so that each sum has a fixed order.
template <class T>
void label_sums(Input<T, 2> points, float scale, Input<float, 1> weights, Input<int32_t, 1> labels, int threads,
                Output<double, 2> sums) {
  nb::gil_scoped_release release;
  const size_t count = points.shape(0), size = points.shape(1);
  const size_t share = std::max<size_t>(4, (size + threads - 1) / std::max(threads, 1));
  in_parallel(size, share, threads, [&] {
    return [&](size_t first, size_t last) {
      for (size_t i = 0; i < count; ++i) {
        const double factor = static_cast<double>(scale) * weights.data()[i];
        double* const row = sums.data() + static_cast<size_t>(labels.data()[i]) * size;
        const T* const point = points.data() + i * size;
        for (size_t j = first; j < last; ++j) row[j] += factor * static_cast<double>(point[j]);
      }
    };
  });
}

// Returns for each point the lesser of its distance so far and that to one more centroid (Euclidean: squared).
template <class T>
void closer(Input<T, 2> points, float scale, Input<float, 1> centroid, bool absolute, int threads,
            Output<float, 1> distances) {
  nb::gil_scoped_release release;
  const size_t size = points.shape(1), width = (size + kWidth - 1) / kWidth * kWidth;
  std::vector<float> target(width);
  std::memcpy(target.data(), centroid.data(), size * sizeof(float));
  in_parallel(points.shape(0), kBlock, threads, [&] {
    return [&, point = std::vector<float>(width)](size_t first, size_t last) mutable {
      for (size_t i = first; i < last; ++i) {
        for (size_t j = 0; j < size; ++j) point[j] = scale * static_cast<float>(points.data()[i * size + j]);
        const float distance = absolute ? difference<true>(point.data(), target.data(), width)
                                        : difference<false>(point.data(), target.data(), width);
        distances.data()[i] = std::min(distances.data()[i], distance);
      }
    };
  });
}

// Returns the approximate earth mover's distance of Ganzfried and Sandholm (2014): the earth of each pile of the point
// goes to the nearest hole of the centroid that is not full, and the piles take turns: first all at their nearest
// holes, then all at their second nearest, and so on.  It is never below the true distance.  Returns infinity as soon
// as it exceeds `limit`.
float moved_earth(const float* pile, const int32_t* piles, size_t num_piles, const float* hole, const int16_t* order,
                  const float* ground, size_t size, float limit, float* left, float* room) {
  std::memcpy(room, hole, size * sizeof(float));
  float missing = 0, cost = 0;
  for (size_t i = 0; i < num_piles; ++i) missing += left[i] = pile[i];
  const float nothing = 1e-6f;
  for (size_t rank = 0; rank < size && missing > nothing; ++rank) {
    for (size_t i = 0; i < num_piles; ++i) {
      if (left[i] <= 0) continue;
      const size_t from = piles[i], to = order[from * size + rank];
      const float amount = std::min(left[i], room[to]);
      if (amount <= 0) continue;
      left[i] -= amount;
      room[to] -= amount;
      missing -= amount;
      cost += amount * ground[from * size + to];
    }
    if (cost > limit) return kInfinity;
  }
  return cost;
}

// Finds the nearest centroid by that distance.  `height` has a number for each pile; differences of these numbers never
// exceed the ground distance, so the difference of two mean heights is a lower bound of the distance.
template <class T>
void nearest_piles(Input<T, 2> points, float scale, Input<float, 1> height, Input<float, 2> centroids,
                   Input<float, 1> places, Input<int32_t, 1> numbers, Input<int16_t, 2> order, Input<float, 2> ground,
                   int threads, Output<int32_t, 1> labels, Output<float, 1> distances) {
  nb::gil_scoped_release release;
  const size_t size = points.shape(1), count = centroids.shape(0);
  const float* const along = places.data();
  in_parallel(points.shape(0), 64, threads, [&] {
    return [&, pile = std::vector<float>(size), left = std::vector<float>(size), room = std::vector<float>(size),
            piles = std::vector<int32_t>(size)](size_t first, size_t last) mutable {
      for (size_t i = first; i < last; ++i) {
        size_t num_piles = 0;
        float mean = 0;
        for (size_t j = 0; j < size; ++j)
          if (points.data()[i * size + j] > 0) {
            pile[num_piles] = scale * static_cast<float>(points.data()[i * size + j]);
            mean += pile[num_piles] * height.data()[j];
            piles[num_piles++] = static_cast<int32_t>(j);
          }
        size_t down = std::lower_bound(along, along + count, mean) - along, up = down, best = 0;
        float least = kInfinity;
        while (down > 0 || up < count) {
          const float below = down > 0 ? mean - along[down - 1] : kInfinity;
          const float above = up < count ? along[up] - mean : kInfinity;
          if (std::min(below, above) - 1e-5f > least) break;
          const size_t at = below <= above ? --down : up++;
          const float cost = moved_earth(pile.data(), piles.data(), num_piles, centroids.data() + at * size,
                                         order.data(), ground.data(), size, least, left.data(), room.data());
          if (cost < least || (cost == least && cost < kInfinity && numbers.data()[at] < numbers.data()[best])) {
            least = cost;
            best = at;
          }
        }
        labels.data()[i] = numbers.data()[best];
        distances.data()[i] = least;
      }
    };
  });
}

template <class T>
void bind_type(nb::module_& module) {
  module.def("nearest", &nearest<T>, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg(), nb::arg(), nb::arg());
  module.def("label_sums", &label_sums<T>, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg());
  module.def("closer", &closer<T>, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
  module.def("nearest_piles", &nearest_piles<T>, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace

void bind_clustering(nb::module_& module) {
  bind_type<uint8_t>(module);
  bind_type<uint16_t>(module);
  bind_type<float>(module);
}

}  // namespace errai::cards
