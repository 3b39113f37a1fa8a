// errai.kernels._cpu: the engine for Python.  Arrays are borrowed; errai/kernels/cpu.py has checked them.

#include <memory>
#include <mutex>

#include <nanobind/stl/tuple.h>

#include "borrow.hpp"
#include "pursuit.hpp"

using namespace errai;

namespace {

// Holds on to the Python arrays that the engine borrows.
class PyEngine {
 public:
  PyEngine(nb::list streets, int hole_cards, int num_cards, double tie, Array<double> reach0, Array<double> reach1,
           int threads) {
    std::vector<Street> list;
    for (nb::handle item : streets) list.push_back(borrowed_.read_street(item));
    borrowed_.keep_.push_back(nb::cast(reach0));
    borrowed_.keep_.push_back(nb::cast(reach1));
    engine_ = std::make_unique<Engine>(std::move(list), hole_cards, num_cards, tie, reach0.data(), reach1.data(), threads);
  }

  void reserve(bool wide) {
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->reserve(wide ? Type::FLOAT64 : Type::FLOAT32);
  }

  void iterate(const std::vector<AnyArray>& regrets, const std::vector<AnyArray>& sums,
               const std::vector<AnyArray>& predicted, const std::vector<AnyArray>& frozen, const Floats& scales,
               Array<double> coefficients, bool weighted) {
    StateArrays state = state_of(regrets, sums, predicted, frozen, scales);
    const std::vector<Coefficients> rows = table(coefficients);
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->iterate(state, rows.data(), int(rows.size()), weighted);
  }

  using Measured = std::vector<std::tuple<int64_t, double, double>>;

  // (iterations, seconds of them, new measurements); `aim` is target, exact and pair weight.
  std::tuple<int, double, Measured> pursue(const std::vector<AnyArray>& regrets, const std::vector<AnyArray>& sums,
                                           const std::vector<AnyArray>& predicted, const std::vector<AnyArray>& frozen,
                                           const Floats& scales, Array<double> coefficients, bool weighted,
                                           const std::vector<ReadArray>& strategy, const Doubles& weights,
                                           std::tuple<double, double, double> aim, const Measured& measured,
                                           int64_t iteration) {
    StateArrays state = state_of(regrets, sums, predicted, frozen, scales);
    const std::vector<Coefficients> rows = table(coefficients);
    const std::vector<const void*> source = pointers(strategy);
    const Aim wanted{std::get<0>(aim), std::get<1>(aim), std::get<2>(aim), {weights.at(0).data(), weights.at(1).data()}};
    std::vector<Point> curve;
    for (const auto& [at, seconds, chips] : measured) curve.push_back(Point{at, seconds, chips});
    const Type type = type_of(strategy.at(0));
    double iterating = 0.0;
    int done = 0;
    {
      nb::gil_scoped_release release;
      const std::lock_guard<std::mutex> lock(busy_);
      done = errai::pursue(*engine_, state, rows.data(), int(rows.size()), weighted, type, source, wanted, curve,
                           iteration, &iterating);
    }
    Measured found;
    for (size_t i = measured.size(); i < curve.size(); ++i)
      found.emplace_back(curve[i].iteration, curve[i].seconds, curve[i].chips);
    return {done, iterating, found};
  }

  void update(const std::vector<AnyArray>& regrets, const std::vector<AnyArray>& sums,
              const std::vector<AnyArray>& predicted, const std::vector<AnyArray>& frozen, const Floats& scales,
              int player, Array<double> coefficients, bool weighted, const Doubles& leaf_values, const Doubles& entering,
              Array<double> out) {
    StateArrays state = state_of(regrets, sums, predicted, frozen, scales);
    const std::vector<Coefficients> rows = table(coefficients);
    const std::vector<double*> leaves = pointers(leaf_values), from = pointers(entering);
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->update(state, player, rows.at(0), weighted, data_of(leaves), data_of(from), out.data());
  }

  void leaf_reach(const std::vector<ReadArray>& source, bool tied, const Doubles& reach0, const Doubles& reach1) {
    const std::vector<const void*> from = pointers(source);
    const Type type = type_of(source.at(0));
    const std::vector<double*> to0 = pointers(reach0), to1 = pointers(reach1);
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->leaf_reach(type, from, tied, to0.data(), to1.data());
  }

  void root_values(const std::vector<ReadArray>& strategy, int player, bool best, bool exact,
                   const Doubles& leaf_values, const Doubles& entering, Array<double> out) {
    const std::vector<const void*> from = pointers(strategy);
    const Type type = type_of(strategy.at(0));
    const std::vector<double*> leaves = pointers(leaf_values), reach = pointers(entering);
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->root_values(type, from, player, best, exact, data_of(leaves), data_of(reach), out.data());
  }

  void board_values(const std::vector<ReadArray>& strategy, int player, int street, int board, Array<double> entering,
                    Array<double> out) {
    const std::vector<const void*> from = pointers(strategy);
    const Type type = type_of(strategy.at(0));
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->board_values(type, from, player, street, board, entering.data(), out.data());
  }

 private:
  static StateArrays state_of(const std::vector<AnyArray>& regrets, const std::vector<AnyArray>& sums,
                              const std::vector<AnyArray>& predicted, const std::vector<AnyArray>& frozen,
                              const Floats& scales) {
    return StateArrays{type_of(regrets.at(0)), pointers(regrets), pointers(sums),
                       pointers(predicted),    pointers(frozen),  pointers(scales)};
  }

  static std::vector<Coefficients> table(const Array<double>& coefficients) {
    std::vector<Coefficients> rows(coefficients.shape(0));
    for (size_t i = 0; i < rows.size(); ++i) {
      const double* c = coefficients.data() + i * 8;
      rows[i] = Coefficients{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
    }
    return rows;
  }

  Borrowed borrowed_;
  std::unique_ptr<Engine> engine_;
  std::mutex busy_;  // the engine has one set of working memory; callers from several Python threads take turns
};

}  // namespace

NB_MODULE(_cpu, m) {
  m.def("instruction_set", &instruction_set);
  m.def("instruction_sets", &instruction_sets);
  m.def("use_instruction_set", &use_instruction_set, "name"_a);
  nb::class_<PyEngine>(m, "Engine")
      .def(nb::init<nb::list, int, int, double, Array<double>, Array<double>, int>(), "streets"_a, "hole_cards"_a,
           "num_cards"_a, "tie"_a, "reach0"_a, "reach1"_a, "threads"_a)
      .def("reserve", &PyEngine::reserve)
      .def("iterate", &PyEngine::iterate)
      .def("pursue", &PyEngine::pursue)
      .def("update", &PyEngine::update)
      .def("leaf_reach", &PyEngine::leaf_reach)
      .def("root_values", &PyEngine::root_values)
      .def("board_values", &PyEngine::board_values);
  bind_buckets(m);
}
