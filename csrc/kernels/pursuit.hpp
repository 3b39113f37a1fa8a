// A run down to an exploitability in one call: small trees iterate in microseconds, fewer than a call from Python takes.
#pragma once

#include "engine.hpp"

namespace errai {

// A measurement on the way: the iteration, the seconds since the call began, and the exploitability in chips.
struct Point {
  int64_t iteration;
  double seconds, chips;
};

// What a run is to come down to; see errai/engine/pursuit.py.
struct Aim {
  double target;       // below 0 for none
  double exact;        // what was measured up to this is measured in float64 next
  double pair_weight;  // of all pairs of hands that fit together
  bool current;        // whose exploitability it is: that of the current strategy, or of the average
};

// One iteration for each of `count` rows, or fewer: measures where it is due, adds to the curve, and returns
// after a measurement that met the target or showed a stall.  Returns how many iterations were run; `iterating` takes
// their seconds.
int pursue(Engine& engine, StateArrays& state, const Coefficients* rows, int count, bool weighted, const Aim& aim,
           std::vector<Point>& curve, int64_t iteration, double* iterating);

}  // namespace errai
