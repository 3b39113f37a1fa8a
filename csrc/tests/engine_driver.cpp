// Runs the engine over a tree that tests/native/test_sanitizers.py has dumped, in every role, type and instruction set,
// with one and several threads.  It is meant to be built with sanitizers: every array is in memory of exactly its size.
// Results must be finite, and must not depend on the number of threads to the last bit.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <list>
#include <stdexcept>
#include <string>
#include <vector>

#include "../kernels/stopping_rule.hpp"
#include "bucket_checks.hpp"

using namespace errai;

namespace {

constexpr int ITERATIONS = 3;

struct Reader {
  std::ifstream file;
  std::vector<Buffer> kept;
  std::list<std::vector<PairPayoffs>> matrices;

  explicit Reader(const char* path) : file(path, std::ios::binary) {
    if (!file) throw std::runtime_error("the dump cannot be opened");
  }

  template <class T>
  T number() {
    T value;
    file.read(reinterpret_cast<char*>(&value), sizeof value);
    if (!file) throw std::runtime_error("the dump is too short");
    return value;
  }

  // malloc gives the exact size, so that a sanitizer sees the first element past the end.
  template <class T>
  const T* array() {
    const auto count = size_t(number<int64_t>());
    kept.emplace_back(std::malloc(count * sizeof(T)));
    file.read(static_cast<char*>(kept.back().get()), std::streamsize(count * sizeof(T)));
    if (!file) throw std::runtime_error("the dump is too short");
    return static_cast<const T*>(kept.back().get());
  }
};

struct Dump {
  Reader& reader;
  std::vector<Street> streets;
  int hole_cards, num_cards;
  double tie;
  const double* reach[2];

  explicit Dump(Reader& from) : reader(from) {
    const auto count = size_t(reader.number<int64_t>());
    hole_cards = int(reader.number<int64_t>());
    num_cards = int(reader.number<int64_t>());
    tie = reader.number<double>();
    for (auto& r : reach) r = reader.array<double>();
    streets = read_streets(reader, count);
  }

  static std::vector<Street> read_streets(Reader& reader, size_t count) {
    std::vector<Street> streets(count);
    for (Street& street : streets) {
      for (int* value : {&street.nodes, &street.entries, &street.exits, &street.leaves, &street.rows[0],
                         &street.rows[1], &street.boards})
        *value = int(reader.number<int64_t>());
      street.kind = reader.array<int8_t>();
      street.actor = reader.array<int8_t>();
      street.first_child = reader.array<int32_t>();
      street.num_children = reader.array<int32_t>();
      street.row = reader.array<int32_t>();
      street.ends = reinterpret_cast<const End*>(reader.array<double>());
      street.child_start = reader.array<int32_t>();
      for (Hands& hands : street.hands) {
        hands.start = reader.array<int64_t>();
        hands.cards = reader.array<uint8_t>();
        hands.parent = reader.array<int32_t>();
        hands.up_weight = reader.array<double>();
        hands.rank = reader.array<int32_t>();
        hands.twin = reader.array<int32_t>();
        hands.member_start = reader.array<int64_t>();
        hands.member_cards = reader.array<uint8_t>();
      }
      const auto matrices = size_t(reader.number<int64_t>());
      if (matrices) street.matrix = reader.array<int32_t>();
      std::vector<PairPayoffs>& list = reader.matrices.emplace_back(matrices);
      for (PairPayoffs& payoffs : list) {
        for (const double*& margin : payoffs.margin) margin = reader.array<double>();
        for (const double*& tie : payoffs.tie) tie = reader.array<double>();
      }
      street.matrices = list.data();
      for (Locks& locks : street.locks) {
        if (!reader.number<int64_t>()) continue;
        locks.at = reader.array<int32_t>();
        locks.role_start = reader.array<int64_t>();
        locks.role = reader.array<uint8_t>();
        locks.strategy_start = reader.array<int64_t>();
        locks.strategy = reader.array<double>();
      }
    }
    return streets;
  }

  std::vector<Street> more() { return read_streets(reader, size_t(reader.number<int64_t>())); }
};

using Log = std::vector<double>;  // all results, to compare runs

// Walks a whole tree, and the same tree in a trunk and parts if it has more than one street.
Log over_buckets(const char* path, int threads) {
  Reader reader(path);
  Dump dump(reader);
  for (Street& street : dump.streets) {
    street.matrix = nullptr;
    street.locks[0] = street.locks[1] = Locks{};
  }
  Log log = BucketChecks(dump.streets, dump.streets, {}, 0, dump.hole_cards, dump.num_cards, threads).all();
  const int cut = int(reader.number<int64_t>());
  if (cut == 0) return log;
  std::vector<Street> trunk = dump.more();
  std::vector<std::vector<Street>> parts(size_t(reader.number<int64_t>()));
  for (auto& part : parts) part = dump.more();
  const Log more = BucketChecks(dump.streets, trunk, parts, cut, dump.hole_cards, dump.num_cards, threads).all();
  log.insert(log.end(), more.begin(), more.end());
  return log;
}

void same(const Log& alone, const Log& together) {
  if (alone.size() != together.size() || std::memcmp(alone.data(), together.data(), alone.size() * sizeof(double)) != 0)
    throw std::runtime_error("results depend on the number of threads");
}

class Checks {
 public:
  Checks(const Dump& dump, int threads)
      : streets_(dump.streets),
        engine_(dump.streets, dump.hole_cards, dump.num_cards, dump.tie, dump.reach[0], dump.reach[1], threads) {}

  Log all() {
    // float comes first, so that the working memory has to grow.
    states<float>(Type::FLOAT32);
    states<double>(Type::FLOAT64);
    fixed_states<uint16_t>(Type::UINT16);
    fixed_states<uint8_t>(Type::UINT8);
    return std::move(log_);
  }

 private:
  const std::vector<Street>& streets_;
  Engine engine_;
  Log log_;

  template <class T>
  struct Arrays {
    std::vector<Buffer> memory;
    std::vector<size_t> sizes;

    template <class P>
    std::vector<P> pointers() const {
      std::vector<P> list;
      for (const auto& buffer : memory) list.push_back(static_cast<P>(buffer.get()));
      return list;
    }
  };

  int64_t hands(const Street& street, int player) const { return street.hands[player].start[street.boards]; }

  template <class T>
  Arrays<T> arrays(bool random) const {
    Arrays<T> result;
    uint32_t seed = 1;
    for (const Street& street : streets_)
      for (int p = 0; p < 2; ++p) {
        const auto size = size_t(street.rows[p] * hands(street, p));
        result.memory.emplace_back(std::malloc(size * sizeof(T)));
        result.sizes.push_back(size);
        T* to = static_cast<T*>(result.memory.back().get());
        for (size_t i = 0; i < size; ++i) to[i] = random ? T((seed = seed * 1664525u + 1013904223u) >> 20) : T(0);
      }
    return result;
  }

  template <class T>
  std::vector<std::vector<double>> leaves(int player) const {
    std::vector<std::vector<double>> result;
    for (const Street& street : streets_) {
      result.emplace_back(size_t(street.leaves * hands(street, player)));
      for (size_t i = 0; i < result.back().size(); ++i) result.back()[i] = double(i % 7) - 3.0;
    }
    return result;
  }

  static std::vector<double*> pointers(std::vector<std::vector<double>>& arrays) {
    std::vector<double*> list;
    for (auto& array : arrays) list.push_back(array.data());
    return list;
  }

  void note(const double* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (!std::isfinite(values[i])) throw std::runtime_error("a value is not finite");
      log_.push_back(values[i]);
    }
  }

  template <class T>
  void note_all(const Arrays<T>& group) {
    for (size_t i = 0; i < group.memory.size(); ++i) {
      const T* from = static_cast<const T*>(group.memory[i].get());
      const std::vector<double> copy(from, from + group.sizes[i]);
      note(copy.data(), copy.size());
    }
  }

  // Returns roles that follow the source, respond best, or do either depending on the street.
  std::vector<std::vector<Role>> kinds_of_roles() const {
    const int count = int(streets_.size());
    std::vector<std::vector<Role>> kinds = {everywhere(Role::FIXED, count), everywhere(Role::BEST, count)};
    kinds.push_back(kinds[0]);
    kinds.back().back() = Role::BEST;
    return kinds;
  }

  // Runs the same number of iterations again, with measurements.
  void run_measured_from(StateArrays& state, const std::vector<Coefficients>& rows) {
    const Aim aim{-1.0, 1e-3, 2.0, false, false};
    std::vector<Point> curve{{1, 0.0, 1.0}};
    double iterating = 0.0;
    if (run_to_target(engine_, state, rows.data(), int(rows.size()), true, aim, curve, 1, &iterating) != ITERATIONS)
      throw std::runtime_error("a run without a target must do all its iterations");
    for (const Point& point : curve) note(&point.chips, 1);
    if (curve.size() < 3) throw std::runtime_error("nothing was measured on the way");
  }

  template <class T>
  void states(Type type) {
    for (const bool predictive : {false, true})
      for (const bool simultaneous : {false, true}) {
        const auto regrets = arrays<T>(false), sums = arrays<T>(false), predicted = arrays<T>(false),
                   frozen = arrays<T>(false);
        StateArrays state{type, type, regrets.template pointers<void*>(), sums.template pointers<void*>(), {}, {}, {}};
        if (predictive) state.predicted = predicted.template pointers<void*>();
        if (simultaneous) state.frozen = frozen.template pointers<void*>();
        const std::vector<Coefficients> rows(ITERATIONS,
                                             Coefficients{0.7, 0.5, 0.6, 1.0, predictive ? 1.0 : 0.0, 0.4, 0.5, 0.3});
        engine_.iterate(state, rows.data(), ITERATIONS, !predictive);
        run_measured_from(state, rows);
        for (int p = 0; p < 2; ++p) {
          auto values = leaves<T>(p);
          const auto in = pointers(values);
          for (std::vector<Role> roles : kinds_of_roles())
            engine_.update(state, p, roles.data(), rows[0], true, in.data(), nullptr, nullptr);
          engine_.update(state, p, everywhere(Role::LEARNS, int(streets_.size())).data(), rows[0], true, in.data(),
                         nullptr, nullptr);
        }
        note_all(regrets);
        note_all(sums);
      }
    strategies<T>(type);
  }

  // Regrets of 16 bits with a scale per decision and board, and averages of 16 or 8 bits.
  template <class Average>
  void fixed_states(Type sums_type) {
    const auto regrets = arrays<int16_t>(false);
    const auto averages = arrays<Average>(false);
    std::vector<std::vector<float>> scales;
    for (int s = 0; s < engine_.tree().streets; ++s)
      for (int p = 0; p < 2; ++p) {
        const Street& street = engine_.tree().street[s];
        scales.emplace_back(size_t(street.boards) * size_t(street.decisions[p]));
      }
    StateArrays state{Type::INT16, sums_type, regrets.pointers<void*>(), averages.template pointers<void*>(), {},
                      {},          {}};
    for (auto& array : scales) state.scales.push_back(array.data());
    const std::vector<Coefficients> rows(ITERATIONS, Coefficients{0.7, 0.5, 0.6, 1.0, 0.0, 0.4, 0.5, 0.3});
    engine_.iterate(state, rows.data(), ITERATIONS, false);
    for (int p = 0; p < 2; ++p) {
      auto values = leaves<double>(p);
      const auto in = pointers(values);
      engine_.update(state, p, everywhere(Role::LEARNS, int(streets_.size())).data(), rows[0], false, in.data(),
                     nullptr, nullptr);
    }
    for (const auto& array : scales) {
      const std::vector<double> copy(array.begin(), array.end());
      note(copy.data(), copy.size());
    }
    note_all(regrets);
    note_all(averages);
    strategies<int16_t>(Type::INT16);
    strategies<Average>(sums_type);
  }

  template <class T>
  void strategies(Type type) {
    const auto strategy = arrays<T>(true);
    const auto source = strategy.template pointers<const void*>();
    for (int p = 0; p < 2; ++p) {
      auto values = leaves<T>(p);
      const auto in = pointers(values);
      std::vector<double> out(size_t(streets_[0].hands[p].count(0)));
      for (const std::vector<Role>& roles : kinds_of_roles())
        for (const double* const* given :
             {static_cast<const double* const*>(nullptr), static_cast<const double* const*>(in.data())}) {
          for (const bool exact : {false, true}) {
            engine_.root_values(type, source, p, roles.data(), exact, given, nullptr, out.data());
            note(out.data(), out.size());
          }
        }
      for (int s = 0; s < int(streets_.size()); ++s) {
        const Street& street = streets_[s];
        for (int b = 0; b < street.boards; b += 1 + street.boards / 5) {
          const std::vector<double> entering(size_t(street.entries * street.hands[1 - p].count(b)), 0.5);
          std::vector<double> on_board(size_t(street.nodes * street.hands[p].count(b)));
          for (const std::vector<Role>& roles : kinds_of_roles()) {
            engine_.board_values(type, source, p, roles.data(), s, b, in.data(), entering.data(), on_board.data());
            note(on_board.data(), on_board.size());
          }
        }
      }
    }
    auto reach0 = leaves<T>(0), reach1 = leaves<T>(1);
    const auto out0 = pointers(reach0), out1 = pointers(reach1);
    engine_.leaf_reach(type, source, true, nullptr, out0.data(), out1.data());
    for (const auto* reach : {&reach0, &reach1})
      for (const auto& array : *reach) note(array.data(), array.size());
  }
};

}  // namespace

int main(int count, char** arguments) {
  try {
    for (int i = 1; i < count; ++i) {
      Reader reader(arguments[i]);
      const Dump dump(reader);
      for (const std::string& set : instruction_sets()) {
        use_instruction_set(set);
        const Log alone = Checks(dump, 1).all();
        same(alone, Checks(dump, 4).all());
        const Log buckets = over_buckets(arguments[i], 1);
        same(buckets, over_buckets(arguments[i], 4));
        std::printf("%s %s: %zu and %zu values\n", arguments[i], set.c_str(), alone.size(), buckets.size());
      }
    }
    same(sampling_checks<float>(1), sampling_checks<float>(3));
    same(sampling_checks<double>(1), sampling_checks<double>(3));
  } catch (const std::exception& error) {
    std::printf("failed: %s\n", error.what());
    return 1;
  }
  return 0;
}
