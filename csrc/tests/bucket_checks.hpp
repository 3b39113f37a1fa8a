// Checks of walks over buckets for the driver: every role, with and without parts, in both types, with one and several
// threads.
#pragma once

#include <cmath>
#include <stdexcept>
#include <vector>

#include "../kernels/parted.hpp"
#include "../kernels/sampling.hpp"

namespace errai {

// Memory of exactly its size, so that a sanitizer sees the first element past the end.
template <class T>
class Exact {
 public:
  explicit Exact(size_t count, T value = T(0)) : memory_(std::malloc(count * sizeof(T))), count_(count) {
    for (size_t i = 0; i < count; ++i) data()[i] = value;
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  size_t size() const { return count_; }

 private:
  Buffer memory_;
  size_t count_;
};

class BucketChecks {
 public:
  // `whole` has all streets of the tree with their boards.
  BucketChecks(const std::vector<Street>& whole, std::vector<Street> trunk, std::vector<std::vector<Street>> parts,
               int cut, int hole_cards, int num_cards, int threads)
      : streets_(whole), engine_(std::move(trunk), std::move(parts), cut, hole_cards, num_cards, threads) {
    std::vector<Dealt> dealt;
    for (const Street& street : whole)
      dealt.push_back({street.boards, street.child_start, {street.hands[0], street.hands[1]}});
    engine_.deal(dealt);
  }

  std::vector<double> all() {
    walks<float>(Type::FLOAT32);
    walks<double>(Type::FLOAT64);
    return std::move(log_);
  }

 private:
  static constexpr int COUNT = 7;
  const std::vector<Street>& streets_;
  PartedEngine engine_;
  std::vector<double> log_;

  template <class T>
  void walks(Type type) {
    std::vector<Exact<int64_t>> starts;
    std::vector<Exact<int32_t>> lives, places;
    std::vector<Exact<T>> weights, tables, learnt, sums;
    std::vector<Exact<uint16_t>> choices;
    std::vector<Buckets> buckets;
    for (const Street& street : streets_)
      for (int p = 0; p < 2; ++p) {
        const Hands& hands = street.hands[p];
        const auto classes = size_t(hands.start[street.boards]);
        starts.emplace_back(size_t(street.boards) + 1);
        places.emplace_back(classes);
        weights.emplace_back(classes, T(0.5));
        std::vector<int32_t> live;
        for (int b = 0; b < street.boards; ++b) {
          std::vector<int32_t> at(COUNT, -1);
          for (int64_t h = hands.start[b]; h < hands.start[b + 1]; ++h) {
            const int bucket = int(h * 5 % COUNT);
            if (at[size_t(bucket)] < 0) {
              at[size_t(bucket)] = int32_t(live.size() - size_t(starts.back().data()[b]));
              live.push_back(bucket);
            }
            places.back().data()[h] = at[size_t(bucket)];
          }
          starts.back().data()[b + 1] = int64_t(live.size());
        }
        lives.emplace_back(live.size());
        std::copy(live.begin(), live.end(), lives.back().data());
        const size_t size = size_t(street.rows[p]) * COUNT;
        for (auto* group : {&tables, &learnt, &sums}) group->emplace_back(size);
        for (size_t i = 0; i < size; ++i) tables.back().data()[i] = T(double(i * 7 % 11) - 4.0);
        choices.emplace_back(size_t(street.rows[p]) * classes);
      }
    for (size_t i = 0; i < starts.size(); ++i)
      buckets.push_back(
          {COUNT, starts[i].data(), lives[i].data(), places[i].data(), i % 3 ? weights[i].data() : nullptr});
    std::vector<const void*> source;
    std::vector<void*> regrets, averages;
    std::vector<uint16_t*> taken;
    std::vector<const uint16_t*> told;
    for (size_t i = 0; i < tables.size(); ++i) {
      source.push_back(tables[i].data());
      regrets.push_back(learnt[i].data());
      averages.push_back(sums[i].data());
      taken.push_back(choices[i].data());
      told.push_back(choices[i].data());
    }
    const Hands* root = streets_.front().hands;
    const Exact<double> reach[2] = {Exact<double>(size_t(root[0].start[1]), 1.0),
                                    Exact<double>(size_t(root[1].start[1]), 1.0)};
    const int count = int(streets_.size());
    const std::vector<Role> learns = everywhere(Role::LEARNS, count), follows = everywhere(Role::FIXED, count),
                            best = everywhere(Role::BEST, count);
    for (int p = 0; p < 2; ++p) {
      Exact<double> out(size_t(root[p].start[1]));
      const auto walk = [&](const std::vector<Role>& roles, const BucketTables& given, bool prune) {
        engine_.walk(p, roles.data(), type, source, given, 1e-6, prune, reach[0].data(), reach[1].data(), out.data());
        note(out.data(), out.size());
      };
      for (const bool others : {false, true})
        for (const bool floor : {false, true})
          walk(learns, {buckets.data(), regrets.data(), averages.data(), others, 1.5, 2.5, floor, nullptr, nullptr},
               others);
      const BucketTables nothing{buckets.data(), nullptr, nullptr, false, 1, 1, false, nullptr, nullptr};
      walk(follows, nothing, true);
      walk(best, nothing, false);
      // A player who learns, or follows the table, before the last street, and responds best on it.
      std::vector<Role> learns_first = learns, follows_first = follows;
      learns_first.back() = follows_first.back() = Role::BEST;
      walk(follows_first, nothing, false);
      walk(learns_first, {buckets.data(), regrets.data(), nullptr, true, 1, 1, true, nullptr, taken.data()}, false);
      walk(best, {buckets.data(), nullptr, nullptr, false, 1, 1, false, nullptr, taken.data()}, false);
    }
    // Player 0 learns against the response of player 1 that was written last.
    Exact<double> out(size_t(root[0].start[1]));
    engine_.walk(0, learns.data(), type, source,
                 {buckets.data(), regrets.data(), averages.data(), false, 1, 1, false, told.data(), nullptr}, 0.0,
                 false, reach[0].data(), reach[1].data(), out.data());
    note(out.data(), out.size());
    for (const auto* group : {&learnt, &sums})
      for (const Exact<T>& table : *group)
        for (size_t i = 0; i < table.size(); ++i) {
          const double value = double(table.data()[i]);
          note(&value, 1);
        }
  }

  void note(const double* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (!std::isfinite(values[i])) throw std::runtime_error("a value over buckets is not finite");
      log_.push_back(values[i]);
    }
  }
};

// External sampling on two streets: player 0 bets or checks, player 1 folds or calls, and after a check there is a
// second street on which player 0 folds or shows.
template <class T>
std::vector<double> sampling_checks(int threads) {
  const int8_t kind[] = {DECISION, DECISION, CHANCE, FOLD, SHOWDOWN, DECISION, FOLD, SHOWDOWN};
  const int8_t actor[] = {0, 1, -1, 1, -1, 0, 0, -1}, street[] = {0, 0, 0, 0, 0, 1, 1, 1};
  const int32_t first_child[] = {1, 3, 5, -1, -1, 6, -1, -1}, num_children[] = {2, 2, 1, 0, 0, 2, 0, 0};
  const int32_t row[] = {0, 0, -1, -1, -1, 0, -1, -1};
  const double payoff[] = {0, 0, 0, 1, 2, 0, 1, 1};
  const LineTree tree{2, kind, actor, street, first_child, num_children, row, payoff};
  constexpr int COUNT = 5, DEALS = 333;
  const size_t rows[] = {2, 2, 2, 0};
  std::vector<Exact<T>> regrets, sums;
  std::vector<void*> to, averages;
  const std::vector<int64_t> columns(4, COUNT);
  for (const size_t count : rows)
    for (auto* group : {&regrets, &sums}) group->emplace_back(count * COUNT);
  for (size_t i = 0; i < 4; ++i) to.push_back(regrets[i].data()), averages.push_back(sums[i].data());
  Exact<int32_t> buckets(DEALS * 4);
  Exact<int8_t> sign(DEALS);
  for (int d = 0; d < DEALS; ++d) {
    for (int i = 0; i < 4; ++i) buckets.data()[d * 4 + i] = (d * 3 + i) % COUNT;
    sign.data()[d] = int8_t(d % 3 - 1);
  }
  Team team(threads);
  const SampledTables tables{sizeof(T) == 8 ? Type::FLOAT64 : Type::FLOAT32, to.data(), averages.data(),
                             columns.data()};
  for (int t = 0; t < 6; ++t)
    for (int p = 0; p < 2; ++p)
      sample_external(team, tree, tables, {DEALS, buckets.data(), sign.data(), 9, uint64_t(t * DEALS)}, p, t + 1.0, 1.0,
                      t % 2 == 0, {-1.0, t > 3 ? 0.9 : 0.0});
  std::vector<double> log;
  for (const auto* group : {&regrets, &sums})
    for (const Exact<T>& table : *group)
      for (size_t i = 0; i < table.size(); ++i) {
        if (!std::isfinite(double(table.data()[i]))) throw std::runtime_error("a sampled value is not finite");
        log.push_back(double(table.data()[i]));
      }
  return log;
}

}  // namespace errai
