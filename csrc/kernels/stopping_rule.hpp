// When a run measures its exploitability and when it stops, and a run to a target exploitability in one native call.
// Small trees iterate in microseconds, which is less than a call from Python takes.
#pragma once

#include "engine.hpp"

namespace errai {

// A measurement: the iteration, the seconds since the call began, and the exploitability in chips.
struct Point {
  int64_t iteration;
  double seconds, chips;
};

// Returns the iteration at which to measure next.  It is most of the way to the iteration at which the curve is
// expected to meet the target; a target below 0 means none.
//
// A measurement costs about half an iteration, and an iteration too many costs one.  On logarithmic scales curves fall
// with a slope of 2 to 3, and the slope so far is more reliable the longer the interval that it was measured over.  The
// numbers come from a search over the curves of twenty spots (docs/log.md).  Both this function and has_stalled()
// depend on the curve alone, so that a resumed run measures and ends at the same iterations as the whole run would
// have.
int64_t next_measurement(const std::vector<Point>& curve, double target);

// Returns whether the exploitability has stopped falling: no measurement after a quarter of the iterations is below the
// lowest one before.  More iterations would not help then, because the steps of the precision, or the regrets that
// count as ties, are as coarse as what is left to learn.
bool has_stalled(const std::vector<Point>& curve);

// The target of a run, and how its exploitability is measured.
struct Aim {
  double target;       // in chips; below 0 for none
  double exact;        // if a measurement is at most this, the next one is made in float64
  double pair_weight;  // sum of the weights of all compatible pairs of hands
  bool current;        // whether the current strategy is measured instead of the average
  bool zero_sum;       // whether both players' values under a strategy sum to 0 and need not be measured
};

// Runs one iteration for each of `count` rows.  Measures when it is due, adds the measurements to the curve, and
// returns early after one that meets the target or shows a stall.  Returns the number of iterations run; `iterating`
// receives their seconds.
int run_to_target(Engine& engine, StateArrays& state, const Coefficients* rows, int count, bool weighted,
                  const Aim& aim, std::vector<Point>& curve, int64_t iteration, double* iterating);

}  // namespace errai
