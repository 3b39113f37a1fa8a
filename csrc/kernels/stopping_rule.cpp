#include "stopping_rule.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace errai {

namespace {

constexpr int64_t FIRST_MEASUREMENT = 8;
// Slope of the exploitability against the iterations on logarithmic scales, before any has been measured.
constexpr double USUAL_SLOPE = -2.8;
// Largest step from the last measurement to the next, as a share of the iterations so far; and the same after the
// exploitability has risen, because it falls steeply soon after.
constexpr double LONGEST_STEP = 1.3;
constexpr double LONGEST_STEP_RISING = 0.3;
// Number of iterations before which a run does not count as stalled.
constexpr int64_t STALL_ITERATIONS = 100;
// A run has stalled if the exploitability reached no new low while the iterations grew by this factor: a low is often
// followed by a rise that lasts for two or three times as many iterations (docs/log.md).
constexpr int64_t STALL_FACTOR = 4;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The sum of a player's values at the root, weighted by the number of hands in each class and their reach.
double worth(const Street& root, int player, const double* reach, const double* values) {
  const Hands& hands = root.hands[player];
  double sum = 0.0;
  for (int b = 0; b < root.boards; ++b)
    for (int e = 0; e < root.entries; ++e)
      for (int64_t h = hands.start[b]; h < hands.start[b + 1]; ++h)
        sum += *reach++ * double(hands.member_start[h + 1] - hands.member_start[h]) * *values++;
  return sum;
}

}  // namespace

int64_t next_measurement(const std::vector<Point>& curve, double target) {
  if (curve.empty()) return FIRST_MEASUREMENT;
  const Point& newest = curve.back();
  const int64_t last = newest.iteration;
  if (target < 0.0 || newest.chips <= 0.0) return int64_t(std::ceil(double(last) * 1.5));
  if (newest.chips <= target) return last + std::max<int64_t>(1, last / 20);
  const Point* earlier = &curve.front();
  for (size_t i = curve.size() - 1; i-- > 0;)
    if (double(curve[i].iteration) <= double(last) / 1.3) {
      earlier = &curve[i];
      break;
    }
  double slope = USUAL_SLOPE;
  if (earlier->iteration < last) {
    const double span = std::log(double(last) / double(earlier->iteration));
    slope += span / (span + 1.0) * (std::log(newest.chips / earlier->chips) / span - USUAL_SLOPE);
  }
  slope = std::min(-1.0, std::max(-4.0, slope));
  const double ahead = double(last) * (std::pow(target / newest.chips, 1.0 / slope) - 1.0);
  const bool rises =
      std::any_of(curve.begin(), curve.end(), [&](const Point& point) { return point.chips < newest.chips; });
  const double longest = rises ? LONGEST_STEP_RISING : LONGEST_STEP;
  const double step = std::ceil(std::min(std::max(0.9 * ahead, 0.02 * double(last)), longest * double(last)));
  return last + std::max<int64_t>(1, int64_t(step));
}

bool has_stalled(const std::vector<Point>& curve) {
  if (curve.empty()) return false;
  const int64_t iteration = curve.back().iteration;
  if (iteration < STALL_ITERATIONS) return false;
  double before = INFINITY, since = INFINITY;
  for (const Point& point : curve) {
    double& low = point.iteration <= iteration / STALL_FACTOR ? before : since;
    low = std::min(low, point.chips);
  }
  return before < INFINITY && since >= before;
}

int run_to_target(Engine& engine, StateArrays& state, const Coefficients* rows, int count, bool weighted,
                  const Aim& aim, std::vector<Point>& curve, int64_t iteration, double* iterating) {
  const Clock::time_point start = Clock::now();
  const Type type = aim.current ? state.type : state.sums_type;
  const std::vector<void*>& measured = aim.current ? state.source() : state.sums;
  const std::vector<const void*> strategy(measured.begin(), measured.end());
  const Street& root = engine.tree().street[0];
  const std::vector<Role> best = everywhere(Role::BEST, engine.tree().streets);
  const std::vector<Role> follow = everywhere(Role::FIXED, engine.tree().streets);
  std::vector<double> values;
  int done = 0;
  *iterating = 0.0;
  while (done < count) {
    const int64_t due = next_measurement(curve, aim.target);
    const int steps = int(std::min<int64_t>(std::max<int64_t>(1, due - iteration), count - done));
    const Clock::time_point began = Clock::now();
    engine.iterate(state, rows + done, steps, weighted);
    *iterating += seconds_since(began);
    done += steps;
    iteration += steps;
    if (iteration < due) break;
    const bool exact = !curve.empty() && curve.back().chips <= aim.exact;
    double chips = 0.0;
    for (int p = 0; p < 2; ++p) {
      values.resize(size_t(root.entries) * size_t(root.hands[p].start[root.boards]));
      const auto won = [&](const std::vector<Role>& roles) {
        engine.root_values(type, strategy, p, roles.data(), exact, nullptr, nullptr, values.data());
        return worth(root, p, engine.tree().root_reach[p], values.data()) / aim.pair_weight;
      };
      chips += won(best);
      if (!aim.zero_sum) chips -= won(follow);
    }
    curve.push_back(Point{iteration, seconds_since(start), chips / 2.0});
    if (aim.target >= 0.0 && (curve.back().chips <= aim.target || has_stalled(curve))) break;
  }
  return done;
}

}  // namespace errai
