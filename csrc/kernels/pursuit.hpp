// A run down to an exploitability in one call: small trees iterate in microseconds, fewer than a call from Python takes.
#pragma once

#include "engine.hpp"

namespace errai {

// A measurement on the way: the iteration, the seconds since the call began, and the exploitability in chips.
struct Point {
  int64_t iteration;
  double seconds, chips;
};

// The iteration at which to measure next: most of the way to where the curve says that the target, or none below 0, is met.
//
// Measuring costs about half an iteration, an iteration too many costs one.  In logarithms curves fall with a slope of 2 to
// 3, and the slope so far says more the further it was measured over.  The numbers are from a search over the curves of
// twenty spots (docs/log.md).  It depends on the curve alone, so that a resumed run measures and ends where the whole run
// would have; so does has_stalled().
int64_t next_measurement(const std::vector<Point>& curve, double target);

// Whether the newest measurement shows that the exploitability has stopped falling: no measurement after a quarter of the
// iterations is below the lowest before.  More iterations would not help: the steps of the precision, or regrets that count
// as ties, are as coarse as what is left to be learnt.
bool has_stalled(const std::vector<Point>& curve);

// What a run is to come down to.
struct Aim {
  double target;       // below 0 for none
  double exact;        // what was measured up to this is measured in float64 next
  double pair_weight;  // of all pairs of hands that fit together
  bool current;        // whose exploitability it is: that of the current strategy, or of the average
  bool zero_sum;       // whether what both win under a strategy adds up to nothing, so that it need not be measured
};

// One iteration for each of `count` rows, or fewer: measures where it is due, adds to the curve, and returns
// after a measurement that met the target or showed a stall.  Returns how many iterations were run; `iterating` takes
// their seconds.
int pursue(Engine& engine, StateArrays& state, const Coefficients* rows, int count, bool weighted, const Aim& aim,
           std::vector<Point>& curve, int64_t iteration, double* iterating);

}  // namespace errai
