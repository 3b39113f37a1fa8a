// errai.nets.networks._native: networks on boards for Python.  Arrays are borrowed; errai/nets/networks/native.py has
// checked them.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "../cards/parallel.hpp"
#include "../kernels/portable.hpp"
#include "../kernels/processor.hpp"
#include "answers.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace errai;

namespace {

template <class T, size_t D>
using Array = nb::ndarray<const T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;
template <class T, size_t D>
using Output = nb::ndarray<T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;

using Answer = void (*)(const Net&, const BoardData&, const Question&, void*);

Answer answer_of(const std::string& instruction_set) {
#if defined(__x86_64__)
  if (instruction_set.rfind("avx512", 0) == 0 && has_avx512()) return avx512::answer;
  if (instruction_set == "avx2" && has_avx2()) return avx2::answer;
#endif
  if (instruction_set == "baseline") return baseline::answer;
  throw std::invalid_argument("this processor has no instruction set '" + instruction_set + "'");
}

// The weights of a network, which all its boards share.  Layers are [in][padded out], biases [padded out].
class PyNet {
 public:
  PyNet(int groups, int embedding, int knots, int bins, int readout, std::vector<Array<float, 2>> weights,
        std::vector<Array<float, 1>> biases)
      : weights_(std::move(weights)), biases_(std::move(biases)) {
    net = Net{groups, embedding, knots, bins, readout, layer(0), layer(1), layer(2), layer(3)};
  }

  Net net;

 private:
  Layer layer(size_t i) const {
    return Layer{weights_.at(i).data(), biases_.at(i).data(), int(weights_[i].shape(0)), int(weights_[i].shape(1))};
  }

  std::vector<Array<float, 2>> weights_;
  std::vector<Array<float, 1>> biases_;
};

// Holds on to the arrays of a board.
class PyBoard {
 public:
  PyBoard(int cards_each, float unit, Array<int32_t, 1> sorted, Array<int32_t, 1> class_start, Array<int32_t, 2> cards,
          Array<int16_t, 2> margins, Array<float, 2> embedded, Array<float, 2> terms, Array<float, 1> join1_bias)
      : board{int(sorted.shape(0)), cards_each,     sorted.data(), class_start.data(), int(class_start.shape(0)) - 1,
              cards.data(),         margins.data(), unit,          embedded.data(),    terms.data(),
              join1_bias.data()},
        integers_{sorted, class_start}, cards_(cards), margins_(margins), floats_{embedded, terms}, bias_(join1_bias) {}

  BoardData board;

 private:
  Array<int32_t, 1> integers_[2];
  Array<int32_t, 2> cards_;
  Array<int16_t, 2> margins_;
  Array<float, 2> floats_[2];
  Array<float, 1> bias_;
};

// Asks about several boards at once.  Places, values and what was brought are given for each board; without places all
// boards are asked about the same ranges, and those are not scaled.
void ask(const PyNet& net, const std::vector<const PyBoard*>& boards, const std::vector<Array<int32_t, 1>>& places,
         Array<float, 3> ranges, Array<float, 2> stacks, Array<float, 1> depths,
         const std::vector<Output<float, 3>>& values, const std::vector<Output<float, 2>>& brought, int threads,
         const std::string& instruction_set) {
  const Answer answer = answer_of(instruction_set);
  const bool scaled = !places.empty();
  std::vector<Question> questions;
  size_t most = 0;
  for (size_t b = 0; b < boards.size(); ++b) {
    questions.push_back(Question{int(ranges.shape(0)), int(ranges.shape(2)), ranges.data(),
                                 scaled ? places[b].data() : nullptr, stacks.data(), depths.data(), scaled,
                                 values[b].data(), scaled ? brought[b].data() : nullptr});
    most = std::max(most, scratch_bytes(net.net, boards[b]->board.hands));
  }
  nb::gil_scoped_release release;
  cards::in_parallel(boards.size(), 1, threads, [&] {
    return [&, memory = std::make_shared<Buffer>(aligned_buffer(most))](size_t first, size_t last) {
      for (size_t b = first; b < last; ++b) answer(net.net, boards[b]->board, questions[b], memory->get());
    };
  });
}

// Adds, board by board, values [Q, 2, K] to the hands of sums [Q, 2, U] at the board's places, times weights [B, Q, 2].
void add_up(const std::vector<Array<float, 3>>& values, const std::vector<Array<int32_t, 1>>& places,
            Array<float, 3> weights, Output<float, 3> sums) {
  nb::gil_scoped_release release;
  const size_t rows = sums.shape(0) * 2, width = sums.shape(2);
  for (size_t b = 0; b < values.size(); ++b) {
    const int32_t* const place = places[b].data();
    const float* from = values[b].data();
    for (size_t row = 0; row < rows; ++row) {
      const float weight = weights.data()[b * rows + row];
      float* const to = sums.data() + row * width;
      for (size_t i = 0; i < places[b].shape(0); ++i) to[place[i]] += weight * *from++;
    }
  }
}

}  // namespace

NB_MODULE(_native, m) {
  m.attr("TILE") = TILE;
  m.attr("MOST_CARDS") = MOST_CARDS;
  nb::class_<PyNet>(m, "Net").def(
      nb::init<int, int, int, int, int, std::vector<Array<float, 2>>, std::vector<Array<float, 1>>>(), "groups"_a,
      "embedding"_a, "knots"_a, "bins"_a, "readout"_a, "weights"_a, "biases"_a);
  nb::class_<PyBoard>(m, "Board")
      .def(nb::init<int, float, Array<int32_t, 1>, Array<int32_t, 1>, Array<int32_t, 2>, Array<int16_t, 2>,
                    Array<float, 2>, Array<float, 2>, Array<float, 1>>(),
           "cards_each"_a, "unit"_a, "sorted"_a, "class_start"_a, "cards"_a, "margins"_a, "embedded"_a, "terms"_a,
           "join1_bias"_a);
  m.def("ask", &ask);
  m.def("add_up", &add_up);
}
