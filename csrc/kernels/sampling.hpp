// External sampling over buckets (Lanctot, Waugh, Zinkevich & Bowling, "Monte Carlo sampling for regret minimization in
// extensive games", 2009): each walk has one deal of cards, all actions of one player, and one sampled action of the
// other player.
#pragma once

#include <cstdint>

#include "engine.hpp"

namespace errai {

// A whole betting tree, and the tables [rows, columns] over buckets by [street * 2 + player].
struct LineTree {
  int streets;
  const int8_t* kind;
  const int8_t* actor;
  const int8_t* street;
  const int32_t* first_child;
  const int32_t* num_children;
  const int32_t* row;
  const double* payoff;  // chips that change hands
};

struct SampledTables {
  Type type;  // FLOAT32 or FLOAT64
  void* const* regrets;
  void* const* sums;
  const int64_t* columns;
};

struct Draws {
  int64_t count;
  const int32_t* buckets;  // [count, streets, 2]
  const int8_t* sign;      // [count] 1 if player 0 wins the showdown, -1 if player 1 does, 0 for a tie
  uint64_t seed;
  uint64_t first;  // number of the first deal in the run; samples depend only on the seed and this number
};

struct Pruning {
  double below;   // own actions with less regret are skipped, unless they end the hand
  double chance;  // share of the walks that skip them; 0 for none
};

// Runs one walk per deal for one player.  All walks use the strategies that the tables hold at the beginning; their
// updates are then added in the order of the deals.  Returns the number of nodes visited.
int64_t sample_external(Team& team, const LineTree& tree, const SampledTables& tables, const Draws& draws, int player,
                        double regret_weight, double sum_weight, bool floor, const Pruning& pruning);

}  // namespace errai
