// Walks over buckets for Python: errai.kernels.bucket_cpu.  Arrays are borrowed; they have been checked there.

#include <memory>
#include <mutex>

#include "borrow.hpp"
#include "parted.hpp"
#include "sampling.hpp"

namespace errai {

namespace {

using Choices = std::vector<Array<uint16_t>>;

// The arguments of a walk over buckets: the attributes of errai.kernels.bucket_cpu.Walk.
class Given {
 public:
  explicit Given(nb::handle walk) {
    for (nb::handle item : nb::cast<nb::list>(walk.attr("buckets"))) {
      const void* weight = nullptr;
      if (!item.attr("weight").is_none()) weight = nb::cast<ReadArray>(item.attr("weight")).data();
      buckets.push_back(Buckets{nb::cast<int64_t>(item.attr("count")),
                                nb::cast<nb::ndarray<const int64_t, nb::c_contig>>(item.attr("live_start")).data(),
                                nb::cast<nb::ndarray<const int32_t, nb::c_contig>>(item.attr("live")).data(),
                                nb::cast<nb::ndarray<const int32_t, nb::c_contig>>(item.attr("place")).data(), weight});
    }
    const auto tables = nb::cast<std::vector<ReadArray>>(walk.attr("source"));
    source = pointers(tables);
    type = type_of(tables.at(0));
    regrets = pointers(nb::cast<std::vector<AnyArray>>(walk.attr("regrets")));
    sums = pointers(nb::cast<std::vector<AnyArray>>(walk.attr("sums")));
    for (nb::handle item : nb::cast<nb::list>(walk.attr("given")))
      told.push_back(item.is_none() ? nullptr : nb::cast<Array<uint16_t>>(item).data());
    for (const auto& array : nb::cast<Choices>(walk.attr("choices"))) choices.push_back(array.data());
    given = BucketTables{buckets.data(),
                         regrets.empty() ? nullptr : regrets.data(),
                         sums.empty() ? nullptr : sums.data(),
                         nb::cast<bool>(walk.attr("others_average")),
                         nb::cast<double>(walk.attr("regret_weight")),
                         nb::cast<double>(walk.attr("sum_weight")),
                         nb::cast<bool>(walk.attr("floor")),
                         told.empty() ? nullptr : told.data(),
                         choices.empty() ? nullptr : choices.data()};
  }

  Type type;
  std::vector<const void*> source;
  BucketTables given;

 private:
  std::vector<Buckets> buckets;
  std::vector<void*> regrets, sums;
  std::vector<const uint16_t*> told;
  std::vector<uint16_t*> choices;
};

class PyPartedEngine {
 public:
  PyPartedEngine(nb::list trunk, nb::list parts, int cut, int hole_cards, int num_cards, int threads) {
    std::vector<std::vector<Street>> lists;
    for (nb::handle part : parts) lists.push_back(streets_of(nb::cast<nb::list>(part)));
    engine_ = std::make_unique<PartedEngine>(streets_of(trunk), std::move(lists), cut, hole_cards, num_cards, threads);
  }

  // `streets` has the boards by street of the whole tree: objects with child_start, num_boards and hands.
  void deal(nb::list streets) {
    const std::lock_guard<std::mutex> lock(busy_);
    Borrowed borrowed;
    std::vector<Dealt> list;
    for (nb::handle s : streets) {
      const auto hands = nb::cast<nb::tuple>(s.attr("hands"));
      list.push_back(Dealt{nb::cast<int>(s.attr("num_boards")),
                           borrowed.take<int32_t>(s, "child_start"),
                           {borrowed.read_hands(hands[0]), borrowed.read_hands(hands[1])}});
    }
    engine_->deal(list);
    dealt_ = std::move(borrowed);
  }

  void walk(nb::handle what, const RoleArray& roles, int player, double tie, bool prune, Array<double> reach0,
            Array<double> reach1, Array<double> out) {
    const Given given(what);
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    engine_->walk(player, roles_in(roles), given.type, given.source, given.given, tie, prune, reach0.data(),
                  reach1.data(), out.data());
  }

  int64_t pruned() const { return engine_->pruned(); }

 private:
  std::vector<Street> streets_of(nb::list items) {
    std::vector<Street> list;
    for (nb::handle item : items) list.push_back(lines_.read_street(item));
    return list;
  }

  Borrowed lines_, dealt_;
  std::unique_ptr<PartedEngine> engine_;
  std::mutex busy_;
};

class PySampler {
 public:
  PySampler(int streets, Array<const int8_t> kind, Array<const int8_t> actor, Array<const int8_t> street,
            Array<const int32_t> first_child, Array<const int32_t> num_children, Array<const int32_t> row,
            Array<const double> payoff, int threads)
      : tree_{streets,    kind.data(),  actor.data(), street.data(), first_child.data(), num_children.data(),
              row.data(), payoff.data()},
        team_(std::make_unique<Team>(std::max(1, threads))) {
    for (const nb::object& array : {nb::cast(kind), nb::cast(actor), nb::cast(street), nb::cast(first_child),
                                    nb::cast(num_children), nb::cast(row), nb::cast(payoff)})
      keep_.push_back(array);
  }

  int64_t sample(const std::vector<AnyArray>& regrets, const std::vector<AnyArray>& sums, Array<const int32_t> buckets,
                 Array<const int8_t> sign, uint64_t seed, uint64_t first, int player, double regret_weight,
                 double sum_weight, bool floor, double prune_below, double prune_chance) {
    const std::vector<void*> to = pointers(regrets), averages = pointers(sums);
    std::vector<int64_t> columns;
    for (const auto& table : regrets) columns.push_back(int64_t(table.shape(1)));
    const SampledTables tables{type_of(regrets.at(0)), to.data(), averages.data(), columns.data()};
    const Draws draws{int64_t(sign.shape(0)), buckets.data(), sign.data(), seed, first};
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(busy_);
    return sample_external(*team_, tree_, tables, draws, player, regret_weight, sum_weight, floor,
                           Pruning{prune_below, prune_chance});
  }

 private:
  std::vector<nb::object> keep_;
  LineTree tree_;
  std::unique_ptr<Team> team_;
  std::mutex busy_;
};

}  // namespace

void bind_buckets(nb::module_& m) {
  nb::class_<PyPartedEngine>(m, "PartedEngine")
      .def(nb::init<nb::list, nb::list, int, int, int, int>(), "trunk"_a, "parts"_a, "cut"_a, "hole_cards"_a,
           "num_cards"_a, "threads"_a)
      .def("deal", &PyPartedEngine::deal)
      .def("walk", &PyPartedEngine::walk)
      .def_prop_ro("pruned", &PyPartedEngine::pruned);
  nb::class_<PySampler>(m, "Sampler")
      .def(nb::init<int, Array<const int8_t>, Array<const int8_t>, Array<const int8_t>, Array<const int32_t>,
                    Array<const int32_t>, Array<const int32_t>, Array<const double>, int>())
      .def("sample", &PySampler::sample);
}

}  // namespace errai
