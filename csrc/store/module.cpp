// errai.store._sift: packing chunks of 16-bit numbers and unpacking them, for Python. errai/store/packing.py checks the
// arguments.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "sift.hpp"

namespace nb = nanobind;
using namespace errai::store;

namespace {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::uint8_t kRaw = 0, kSifted = 1;  // a chunk's first byte

Scratch& scratch() {
  thread_local const auto memory = std::make_unique<Scratch>();
  return *memory;
}

std::size_t bound(std::size_t n) { return n / kMaxChunk * (1 + sift_bound(kMaxChunk)) + 1 + sift_bound(n % kMaxChunk); }

// Writes the chunks one after another, and the start of each.
void sift_all(Input<std::uint16_t> values, Output<std::uint8_t> packed, Output<std::int64_t> starts) {
  nb::gil_scoped_release release;
  std::size_t end = 0, chunk = 0;
  for (std::size_t i = 0; i < values.shape(0); i += kMaxChunk) {
    const std::size_t n = std::min(kMaxChunk, values.shape(0) - i);
    std::uint8_t* const to = packed.data() + end;
    starts.data()[chunk++] = static_cast<std::int64_t>(end);
    std::size_t size = sift(values.data() + i, n, to + 1, scratch());
    to[0] = kSifted;
    if (size >= 2 * n) {
      to[0] = kRaw;
      size = 2 * n;
      std::memcpy(to + 1, values.data() + i, size);
    }
    end += 1 + size;
  }
  starts.data()[chunk] = static_cast<std::int64_t>(end);
}

// Reads the chunks; returns false if one of them is invalid. starts must ascend and stay inside packed.
bool unsift_all(Input<std::uint8_t> packed, Input<std::int64_t> starts, Output<std::uint16_t> values) {
  nb::gil_scoped_release release;
  std::size_t chunk = 0;
  for (std::size_t i = 0; i < values.shape(0); i += kMaxChunk, ++chunk) {
    const std::size_t n = std::min(kMaxChunk, values.shape(0) - i);
    const auto start = static_cast<std::size_t>(starts.data()[chunk]);
    const auto size = static_cast<std::size_t>(starts.data()[chunk + 1]) - start;
    if (size == 0) return false;
    const std::uint8_t* const from = packed.data() + start;
    std::uint16_t* const to = values.data() + i;
    if (from[0] == kRaw) {
      if (size != 1 + 2 * n) return false;
      std::memcpy(to, from + 1, 2 * n);
    } else if (from[0] != kSifted || !unsift(from + 1, size - 1, to, n, scratch())) {
      return false;
    }
  }
  return true;
}

}  // namespace

NB_MODULE(_sift, module) {
  module.attr("MAX_CHUNK") = kMaxChunk;
  module.def("bound", &bound);
  module.def("sift", &sift_all);
  module.def("unsift", &unsift_all);
}
