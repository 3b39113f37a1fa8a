// errai.kernels._cpu: the engine for Python.  Arrays are borrowed; errai/kernels/cpu.py has checked them.

#include <memory>
#include <mutex>

#include <nanobind/stl/tuple.h>

#include "borrow.hpp"
#include "stopping_rule.hpp"

using namespace errai;

namespace {

using Rows = nb::ndarray<const double, nb::shape<-1, 8>, nb::c_contig, nb::device::cpu>;  // of coefficients
static_assert(sizeof(Coefficients) == 8 * sizeof(double));

using Measured = std::vector<std::tuple<int64_t, double, double>>;  // iteration, seconds, exploitability in chips

std::vector<Point> points(const Measured& measured) {
  std::vector<Point> curve;
  for (const auto& [at, seconds, chips] : measured) curve.push_back(Point{at, seconds, chips});
  return curve;
}

// A state's arrays, converted once because that takes as long as an iteration of a small tree.
class PyState {
 public:
  PyState(std::vector<AnyArray> regrets, std::vector<AnyArray> sums, std::vector<AnyArray> predicted,
          std::vector<AnyArray> frozen, Floats scales)
      : arrays{type_of(regrets.at(0)), type_of(sums.at(0)), pointers(regrets), pointers(sums),
               pointers(predicted),    pointers(frozen),    pointers(scales)},
        kept_{std::move(regrets), std::move(sums), std::move(predicted), std::move(frozen)},
        scales_(std::move(scales)) {}

  StateArrays arrays;

 private:
  std::vector<AnyArray> kept_[4];
  Floats scales_;
};

// Keeps the Python arrays alive that the engine borrows.
class PyEngine {
 public:
  PyEngine(nb::list streets, int hole_cards, int num_cards, double tie, Array<double> reach0, Array<double> reach1,
           int threads) {
    std::vector<Street> list;
    for (nb::handle item : streets) list.push_back(borrowed_.read_street(item));
    borrowed_.keep_.push_back(nb::cast(reach0));
    borrowed_.keep_.push_back(nb::cast(reach1));
    engine_ =
        std::make_unique<Engine>(std::move(list), hole_cards, num_cards, tie, reach0.data(), reach1.data(), threads);
  }

  void reserve(bool wide) {
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->reserve(wide ? Type::FLOAT64 : Type::FLOAT32);
  }

  void iterate(PyState& state, const Rows& coefficients, bool weighted) {
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->iterate(state.arrays, table(coefficients), int(coefficients.shape(0)), weighted);
  }

  // Returns (iterations, their seconds, new measurements).
  std::tuple<int, double, Measured> run_to_target(PyState& state, const Rows& coefficients, bool weighted, bool current,
                                                  double target, double exact, double pair_weight, bool zero_sum,
                                                  const Measured& measured, int64_t iteration) {
    std::vector<Point> curve = points(measured);
    double iterating = 0.0;
    int done = 0;
    {
      nb::gil_scoped_release release;
      const std::lock_guard<std::mutex> lock(busy_);
      done = errai::run_to_target(*engine_, state.arrays, table(coefficients), int(coefficients.shape(0)), weighted,
                                  Aim{target, exact, pair_weight, current, zero_sum}, curve, iteration, &iterating);
    }
    Measured found;
    for (size_t i = measured.size(); i < curve.size(); ++i)
      found.emplace_back(curve[i].iteration, curve[i].seconds, curve[i].chips);
    return {done, iterating, found};
  }

  void update(PyState& state, int player, const RoleArray& roles, const Rows& coefficients, bool weighted,
              const Doubles& leaf_values, const Doubles& entering, Array<double> out) {
    const std::vector<double*> leaves = pointers(leaf_values), from = pointers(entering);
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->update(state.arrays, player, roles_in(roles), *table(coefficients), weighted, data_of(leaves),
                    data_of(from), out.data());
  }

  void leaf_reach(const std::vector<ReadArray>& source, bool tied, const Doubles& entering, const Doubles& reach0,
                  const Doubles& reach1) {
    const std::vector<const void*> from = pointers(source);
    const Type type = type_of(source.at(0));
    const std::vector<double*> given = pointers(entering), to0 = pointers(reach0), to1 = pointers(reach1);
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->leaf_reach(type, from, tied, data_of(given), to0.data(), to1.data());
  }

  void root_values(const std::vector<ReadArray>& strategy, int player, const RoleArray& roles, bool exact,
                   const Doubles& leaf_values, const Doubles& entering, Array<double> out) {
    const std::vector<const void*> from = pointers(strategy);
    const Type type = type_of(strategy.at(0));
    const std::vector<double*> leaves = pointers(leaf_values), reach = pointers(entering);
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->root_values(type, from, player, roles_in(roles), exact, data_of(leaves), data_of(reach), out.data());
  }

  void board_values(const std::vector<ReadArray>& strategy, int player, const RoleArray& roles, int street, int board,
                    const Doubles& leaf_values, Array<double> entering, Array<double> out) {
    const std::vector<const void*> from = pointers(strategy);
    const Type type = type_of(strategy.at(0));
    const std::vector<double*> leaves = pointers(leaf_values);
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->board_values(type, from, player, roles_in(roles), street, board, data_of(leaves), entering.data(),
                          out.data());
  }

 private:
  static const Coefficients* table(const Rows& rows) { return reinterpret_cast<const Coefficients*>(rows.data()); }

  Borrowed borrowed_;
  std::unique_ptr<Engine> engine_;
  std::mutex busy_;  // the engine has one set of working memory, so calls from several Python threads take turns
};

}  // namespace

NB_MODULE(_cpu, m) {
  m.def("instruction_set", &instruction_set);
  m.def("instruction_sets", &instruction_sets);
  m.def("use_instruction_set", &use_instruction_set, "name"_a);
  nb::class_<PyState>(m, "State")
      .def(nb::init<std::vector<AnyArray>, std::vector<AnyArray>, std::vector<AnyArray>, std::vector<AnyArray>,
                    Floats>());
  nb::class_<PyEngine>(m, "Engine")
      .def(nb::init<nb::list, int, int, double, Array<double>, Array<double>, int>(), "streets"_a, "hole_cards"_a,
           "num_cards"_a, "tie"_a, "reach0"_a, "reach1"_a, "threads"_a)
      .def("reserve", &PyEngine::reserve)
      .def("iterate", &PyEngine::iterate)
      .def("run_to_target", &PyEngine::run_to_target)
      .def("update", &PyEngine::update)
      .def("leaf_reach", &PyEngine::leaf_reach)
      .def("root_values", &PyEngine::root_values)
      .def("board_values", &PyEngine::board_values);
  m.attr("MAX_ACTIONS") = MAX_ACTIONS;
  m.def("next_measurement",
        [](const Measured& curve, double target) { return next_measurement(points(curve), target); });
  m.def("has_stalled", [](const Measured& curve) { return has_stalled(points(curve)); });
  bind_buckets(m);
}
