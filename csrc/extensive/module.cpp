// errai.extensive._steps: iterations of counterfactual regret minimisation over a game in extensive form, for Python.
// The definition is RegretMinimisation.step in errai/extensive/regrets.py, which also says what the arrays are.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nb = nanobind;

namespace {

template <class T, int dimensions>
using Input = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t kColumns = 8;  // errai.kernels.protocol.COEFFICIENTS

struct Player {
  const std::int64_t* blocks;  // [num_blocks][3]: first sequence, actions, information sets
  std::size_t num_blocks;
  const std::int64_t* leading;  // [information sets]
  double *regrets, *sums, *predicted, *now, *plan;
  std::vector<double> values;
};

// What a player wins per unit of weight of each own sequence, given the plans of the others.
void gradient(const std::int64_t* ends, const double* payoffs, std::size_t count, std::size_t player,
              const std::vector<const double*>& plans, std::vector<double>& values) {
  std::fill(values.begin(), values.end(), 0.0);
  const std::int64_t* const own = ends + player * count;
  const double* const won = payoffs + player * count;
  if (plans.size() == 2) {
    const std::int64_t* const other = ends + (1 - player) * count;
    const double* const plan = plans[1 - player];
    for (std::size_t t = 0; t < count; ++t) values[own[t]] += won[t] * plan[other[t]];
    return;
  }
  for (std::size_t t = 0; t < count; ++t) {
    double weight = won[t];
    for (std::size_t p = 0; p < plans.size(); ++p) {
      if (p != player) weight *= plans[p][ends[p * count + t]];
    }
    values[own[t]] += weight;
  }
}

// Regret matching of one information set, whose numbers are `stride` apart; returns whether any of them is above 0.
bool match(const double* source, std::size_t actions, std::size_t stride, double* strategy) {
  double total = 0.0;
  for (std::size_t a = 0; a < actions; ++a) total += std::max(source[a * stride], 0.0);
  for (std::size_t a = 0; a < actions; ++a) {
    strategy[a * stride] = total > 0.0 ? std::max(source[a * stride], 0.0) / total : 1.0 / static_cast<double>(actions);
  }
  return total > 0.0;
}

// Takes in the values of the sequences, those of the deepest information sets first, and plays what follows.
void learn(Player& player, const double* row, bool weighted) {
  const double positive = row[0], negative = row[1], average = row[2], weight = row[3], prediction = row[4],
               foresight = row[6];
  const std::int64_t* leading = player.leading;
  for (std::size_t b = 0; b < player.num_blocks; ++b) leading += player.blocks[3 * b + 2];
  for (std::size_t b = player.num_blocks; b-- > 0;) {
    const auto first = static_cast<std::size_t>(player.blocks[3 * b]);
    const auto actions = static_cast<std::size_t>(player.blocks[3 * b + 1]);
    const auto sets = static_cast<std::size_t>(player.blocks[3 * b + 2]);
    leading -= sets;
    for (std::size_t i = 0; i < sets; ++i) {
      const double* const here = player.values.data() + first + i;
      double* const played = player.now + first + i;
      double* const kept = player.regrets + first + i;
      double* const total = player.sums + first + i;
      const auto above = static_cast<std::size_t>(leading[i]);
      const double reach = weighted ? player.plan[above] : 1.0;
      double value = 0.0;
      for (std::size_t a = 0; a < actions; ++a) value += played[a * sets] * here[a * sets];
      double* source = kept;
      if (player.predicted != nullptr) source = player.predicted + first + i;
      for (std::size_t a = 0; a < actions; ++a) {
        const std::size_t at = a * sets;
        const double gain = here[at] - value, summed = kept[at] + gain;
        kept[at] = summed * (summed > 0.0 ? positive : negative);
        if (source != kept) source[at] = kept[at] + prediction * gain;
        total[at] = total[at] * average + weight * played[at] * reach;
      }
      const bool foresees = match(source, actions, sets, played);
      double learnt = value;
      if (foresight != 0.0 && foresees) {
        double ahead = 0.0;
        for (std::size_t a = 0; a < actions; ++a) ahead += played[a * sets] * here[a * sets];
        learnt += foresight * (ahead - value);
      }
      player.values[above] += learnt;
    }
  }
  for (std::size_t b = 0; b < player.num_blocks; ++b) {
    const auto first = static_cast<std::size_t>(player.blocks[3 * b]);
    const auto actions = static_cast<std::size_t>(player.blocks[3 * b + 1]);
    const auto sets = static_cast<std::size_t>(player.blocks[3 * b + 2]);
    for (std::size_t a = 0; a < actions; ++a) {
      for (std::size_t i = 0; i < sets; ++i) {
        const std::size_t at = first + a * sets + i;
        player.plan[at] = player.now[at] * player.plan[static_cast<std::size_t>(leading[i])];
      }
    }
    leading += sets;
  }
}

// Makes one iteration for each row of the table.  All arrays are those of RegretMinimisation and change in place.
void iterate(Input<std::int64_t, 2> ends, Input<double, 2> payoffs, const std::vector<Input<std::int64_t, 2>>& blocks,
             const std::vector<Input<std::int64_t, 1>>& leading, const std::vector<Numbers>& regrets,
             const std::vector<Numbers>& sums, const std::vector<Numbers>& predicted, const std::vector<Numbers>& now,
             const std::vector<Numbers>& plans, Input<double, 2> table, bool weighted, bool simultaneous) {
  nb::gil_scoped_release release;
  const std::size_t count = ends.shape(1);
  std::vector<Player> players;
  std::vector<const double*> played;
  std::vector<std::vector<double>> before(plans.size());
  for (std::size_t p = 0; p < plans.size(); ++p) {
    players.push_back({blocks[p].data(), blocks[p].shape(0), leading[p].data(), regrets[p].data(), sums[p].data(),
                       predicted.empty() ? nullptr : predicted[p].data(), now[p].data(), plans[p].data(),
                       std::vector<double>(plans[p].shape(0))});
    if (simultaneous) before[p].resize(plans[p].shape(0));
    played.push_back(simultaneous ? before[p].data() : plans[p].data());
  }
  for (std::size_t n = 0; n < table.shape(0); ++n) {
    for (std::size_t p = 0; simultaneous && p < players.size(); ++p) {
      std::copy_n(players[p].plan, before[p].size(), before[p].begin());
    }
    for (std::size_t p = 0; p < players.size(); ++p) {
      gradient(ends.data(), payoffs.data(), count, p, played, players[p].values);
      learn(players[p], table.data() + n * kColumns, weighted);
    }
  }
}

}  // namespace

NB_MODULE(_steps, module) { module.def("iterate", &iterate); }
