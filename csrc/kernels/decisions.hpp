// Operations at one decision node of one board, hand by hand along the rows: regret matching on the way down, mixing
// and learning on the way up.  Functions are templates over the number of actions, so that a node's strategy stays in
// registers; A = 0 means a number that is known only at run time.  Everything has internal linkage, see walk.cpp.
#pragma once

#include "tree.hpp"
#include "vector.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

template <class Function>
inline void by_actions(int actions, Function&& function) {
  switch (actions) {
    case 2: return function(Const<2>{});
    case 3: return function(Const<3>{});
    case 4: return function(Const<4>{});
    case 5: return function(Const<5>{});
    default: return function(Const<0>{});
  }
}

// Number of vectors of hands that are computed together, by the number of actions: as many as registers allow.
template <int A>
constexpr int TOGETHER = A == 2 || A == 3 ? 2 : 1;

// The weight of an action without regret in 16-bit states, in steps: too little to change any value.
constexpr float NEXT_TO_NOTHING = 1e-20f;

// The smallest argument of reciprocal(); a total of regrets below it counts as 0.
template <class T>
constexpr T SMALLEST = sizeof(T) == 4 ? T(1e-37) : T(1e-307);

// Number of nodes ahead whose rows are prefetched: those of a board are contiguous and the walk visits them in order,
// but in runs too short for the processor's own prefetching.
constexpr int AHEAD = 2;

INLINED inline void ask_for(const void* at) { __builtin_prefetch(at); }

// The arrays that strategies follow from by regret matching: the rows [A, hands] of a node, of any type.
template <class T, class Source>
struct PlainRows {
  static constexpr bool ROLES = false;
  const Source* at;
  int hands;

  template <class Lanes>
  V<T> get(int a, int h, Lanes lanes) const {
    return load<T, Source>(at + int64_t(a) * hands + h, lanes);
  }
};

// The same rows in 16-bit steps; the size of a step is the same for all rows of a node.
struct FixedRows {
  static constexpr bool ROLES = false;
  int16_t* at;
  int hands;

  template <class Lanes>
  V<float> get(int a, int h, Lanes lanes) const {
    return load<float, int16_t>(at + int64_t(a) * hands + h, lanes);
  }
};

// Roles of the hands of a node on a board where some differ from the role of the street.
struct NodeRoles {
  Role others;             // of hands that are not locked
  const uint8_t* role;     // [hands] locked roles; null if there are none
  const double* strategy;  // [A, hands] of hands that are FIXED by their lock
};

// The same as vectors: which hands learn, respond best, and follow the strategy of their lock.  All others follow the
// rows.
template <class T>
struct RoleLanes {
  V<T> learns{}, best{}, given{};  // 1 or 0

  template <class Lanes>
  INLINED inline RoleLanes(const NodeRoles& roles, int h, Lanes lanes) {
    int count = Vec<T>::N;
    if constexpr (std::is_same_v<Lanes, Part>) count = lanes.n;
    for (int i = 0; i < count; ++i) {
      const Role locked = roles.role ? Role(roles.role[h + i]) : Role::LEARNS;
      const Role role = locked == Role::LEARNS ? roles.others : locked;
      learns[i] = role == Role::LEARNS;
      best[i] = role == Role::BEST;
      given[i] = locked == Role::FIXED;
    }
  }
};

// The rows of a node with such roles.
template <class Rows>
struct RoleRows : Rows {
  static constexpr bool ROLES = true;
  NodeRoles roles;
};

// U vectors of hands at a node: the content of the rows, and the strategy that follows from it.
template <class T, int A, int U>
struct Mix {
  V<T> held[A ? A : MAX_ACTIONS][U];
  V<T> share[A ? A : MAX_ACTIONS][U];

  // Regret matching: an action's share of the total above `tie`, or the uniform strategy if nothing is above it.
  template <class Rows, class Lanes>
  INLINED inline void match(const Rows& rows, int actions, int h, Lanes lanes, T tie) {
    constexpr int N = Vec<T>::N;
    V<T> total[U] = {};
    for (int a = 0; a < actions; ++a)
      for (int u = 0; u < U; ++u) held[a][u] = rows.get(a, h + u * N, lanes);
    if constexpr (std::is_base_of_v<FixedRows, Rows>) {
      // Regrets that rounding could leave behind are 0 steps here, so no tie is needed.  With a tiny weight in place of
      // 0, the result is the uniform strategy if no action is above 0.
      V<T> scale[U];
      for (int a = 0; a < actions; ++a)
        for (int u = 0; u < U; ++u) {
          share[a][u] = max<T>(held[a][u], splat<T>(NEXT_TO_NOTHING));
          total[u] = a ? total[u] + share[a][u] : share[a][u];
        }
      for (int u = 0; u < U; ++u) scale[u] = reciprocal<T>(total[u]);
      for (int a = 0; a < actions; ++a)
        for (int u = 0; u < U; ++u) share[a][u] *= scale[u];
    } else {
      for (int a = 0; a < actions; ++a)
        for (int u = 0; u < U; ++u) {
          share[a][u] = held[a][u] > tie ? held[a][u] : V<T>{};
          total[u] += share[a][u];
        }
      for (int u = 0; u < U; ++u) {
        const auto some = total[u] > SMALLEST<T>;
        const V<T> scale = reciprocal<T>(max<T>(total[u], splat<T>(SMALLEST<T>)));
        for (int a = 0; a < actions; ++a) share[a][u] = some ? share[a][u] * scale : splat<T>(T(1) / T(actions));
      }
    }
    if constexpr (Rows::ROLES) {
      for (int u = 0; u < U && rows.roles.role; ++u) {
        const V<T> given = RoleLanes<T>(rows.roles, h + u * N, lanes).given;
        for (int a = 0; a < actions; ++a) {
          const V<T> told = load<T, double>(rows.roles.strategy + int64_t(a) * rows.hands + h + u * N, lanes);
          share[a][u] = given > T(0) ? told : share[a][u];
        }
      }
    }
  }

  // Computes the value of the node from those of its children.
  INLINED inline void value(int actions, const T* child, int stride, V<T>* value) const {
    constexpr int N = Vec<T>::N;
    for (int u = 0; u < U; ++u) value[u] = V<T>{};
    for (int a = 0; a < actions; ++a)
      for (int u = 0; u < U; ++u) value[u] += share[a][u] * load<T, T>(child + int64_t(a) * stride + u * N);
  }
};

// Multiplies a player's reach through an own node: row `from` into A rows of `to`.
template <int A, class T, class Rows>
APART void descend(const Rows rows, const int actions, const T tie, const T* from, T* to, const int stride) {
  constexpr int N = Vec<T>::N;
  const int count = A ? A : actions;
  by_vectors<N, TOGETHER<A>>(rows.hands, [&](int h, auto lanes, auto together) INLINED {
    constexpr int U = together;
    Mix<T, A, U> mix;
    mix.match(rows, count, h, lanes, tie);
    for (int a = 0; a < count; ++a)
      for (int u = 0; u < U; ++u) ask_for(rows.at + int64_t(a + AHEAD * count) * rows.hands + h + u * N);
    for (int u = 0; u < U; ++u) {
      const V<T> reach = load<T, T>(from + h + u * N);
      for (int a = 0; a < count; ++a) store<T>(to + int64_t(a) * stride + h + u * N, mix.share[a][u] * reach);
    }
  });
}

// Computes the value of a node of the other player: the sum of its children, which that player's reach has weighted.
template <class T>
inline void add_children(int actions, int hands, const T* child, T* out, int stride) {
  for (int h = 0; h < hands; h += Vec<T>::N) {
    V<T> sum = load<T, T>(child + h);
    for (int a = 1; a < actions; ++a) sum += load<T, T>(child + int64_t(a) * stride + h);
    store<T>(out + h, sum);
  }
}

// Computes the value of an own node where each hand takes its best action.
template <class T>
inline void best_child(int actions, int hands, const T* child, T* out, int stride) {
  for (int h = 0; h < hands; h += Vec<T>::N) {
    V<T> best = load<T, T>(child + h);
    for (int a = 1; a < actions; ++a) best = max<T>(best, load<T, T>(child + int64_t(a) * stride + h));
    store<T>(out + h, best);
  }
}

// Computes the value of an own node under the strategy that follows from the rows.
template <int A, class T, class Rows>
APART void mix_children(const Rows rows, const int actions, const T tie, const T* child, T* out, const int stride) {
  constexpr int N = Vec<T>::N;
  const int count = A ? A : actions;
  by_vectors<N, TOGETHER<A>>(rows.hands, [&](int h, auto lanes, auto together) INLINED {
    constexpr int U = together;
    Mix<T, A, U> mix;
    V<T> value[U];
    mix.match(rows, count, h, lanes, tie);
    mix.value(count, child + h, stride, value);
    for (int u = 0; u < U; ++u) store<T>(out + h + u * N, value[u]);
  });
}

// The value of the best action of some hands, and the first action with this value up to `tie`.
template <class T>
struct BestAction {
  V<T> value, action{};

  INLINED inline BestAction(int actions, const T* child, int stride, T tie = T(0)) : value(load<T, T>(child)) {
    for (int a = 1; a < actions; ++a) value = max<T>(load<T, T>(child + int64_t(a) * stride), value);
    for (int a = actions - 1; a >= 0; --a)
      action = load<T, T>(child + int64_t(a) * stride) >= value - tie ? splat<T>(T(a)) : action;
  }
};

// Computes the value of an own node whose hands follow their strategies or respond best, according to their roles.
template <class T, class Rows>
APART void value_by_roles(const Rows rows, const int actions, const T tie, const T* child, T* out, const int stride) {
  by_vectors<Vec<T>::N>(rows.hands, [&](int h, auto lanes, auto) INLINED {
    Mix<T, 0, 1> mix;
    V<T> value[1];
    mix.match(rows, actions, h, lanes, tie);
    mix.value(actions, child + h, stride, value);
    const V<T> best = RoleLanes<T>(rows.roles, h, lanes).best;
    store<T>(out + h, best > T(0) ? BestAction<T>(actions, child + h, stride).value : value[0]);
  });
}

// The coefficients of an iteration in the type of the walk.
template <class T>
struct Scales {
  explicit Scales(const Coefficients& c)
      : positive(T(c.positive)), negative(T(c.negative)), average(T(c.average)), weight(T(c.weight)),
        prediction(T(c.prediction)), share(T(c.share)), foresight(T(c.foresight)), dither(T(c.dither)) {}

  T positive, negative, average, weight, prediction, share, foresight, dither;
};

// The value of a node partly under the strategy that its new regrets will play, which foresight passes up.
template <class T, int U>
struct Foresight {
  V<T> total[U] = {}, mixed[U] = {};

  // Adds an action's regret, or 0 if it is negative, and the value of its child.
  INLINED inline void add(int u, V<T> regret, V<T> child) {
    total[u] += regret;
    mixed[u] += regret * child;
  }

  // Returns the value, given that of the strategy that was played; without a positive regret the latter stays.
  INLINED inline V<T> value(int u, V<T> played, T foresight) const {
    const auto some = total[u] > SMALLEST<T>;
    const V<T> next = mixed[u] * reciprocal<T>(max<T>(total[u], splat<T>(SMALLEST<T>)));
    return played + (some ? next - played : V<T>{}) * foresight;
  }
};

// By vector of hands, if they have roles; such hands are processed one vector at a time.
struct Nothing {};

template <class T, class Rows, class Lanes>
INLINED inline auto roles_of(const Rows& rows, int h, Lanes lanes) {
  if constexpr (Rows::ROLES) return RoleLanes<T>(rows.roles, h, lanes);
  else return Nothing{};
}

template <class T, class Rows>
INLINED inline auto best_of(const Rows&, int actions, const T* child, int stride, T tie) {
  if constexpr (Rows::ROLES) return BestAction<T>(actions, child, stride, tie);
  else return Nothing{};
}

// Mixes and learns: adds to the regrets and to the strategy sums.  `sums` is null if the iteration does not enter the
// average; `own` is the own reach that weights the strategy in the sums, or null; `predicted` is null unless the
// variant predicts.
template <int A, class T, class Rows>
APART void learn(const Rows rows, const int actions, const T tie, const T* child, T* out, const int stride, T* regrets,
                 T* sums, T* predicted, const T* own, const Scales<T> scales) {
  constexpr int N = Vec<T>::N;
  const int count = A ? A : actions, hands = rows.hands;
  const V<T> positive = splat(scales.positive), negative = splat(scales.negative), average = splat(scales.average);
  by_vectors<N, TOGETHER<A>>(hands, [&](int h, auto lanes, auto together) INLINED {
    constexpr int U = together;
    Mix<T, A, U> mix;
    V<T> value[U], weight[U];
    Foresight<T, U> ahead;
    mix.match(rows, count, h, lanes, tie);
    mix.value(count, child + h, stride, value);
    const auto roles = roles_of<T>(rows, h, lanes);
    const auto best = best_of<T>(rows, count, child + h, stride, tie);
    for (int u = 0; u < U; ++u) {
      weight[u] = splat<T>(scales.weight);
      if (own) weight[u] *= load<T, T>(own + h + u * N);
    }
    for (int a = 0; a < count; ++a)
      for (int u = 0; u < U; ++u) {
        const int64_t at = int64_t(a) * hands + h + u * N;
        const V<T> below = load<T, T>(child + int64_t(a) * stride + h + u * N);
        V<T> gain = below - value[u];
        if constexpr (Rows::ROLES) gain *= roles.learns;
        ask_for(regrets + at - AHEAD * count * hands);
        V<T> regret = load<T, T>(regrets + at, lanes) + gain;
        regret *= regret > T(0) ? positive : negative;
        // A hand that responds best learns regrets that match to its best action alone.
        if constexpr (Rows::ROLES)
          regret = roles.best > T(0) ? (best.action == T(a) ? splat<T>(T(1) + 2 * tie) : V<T>{}) : regret;
        store<T>(regrets + at, regret, lanes);
        if (predicted) {
          regret += gain * scales.prediction;
          store<T>(predicted + at, regret, lanes);
        }
        ahead.add(u, regret > tie ? regret : V<T>{}, below);
        if (sums) {
          ask_for(sums + at - AHEAD * count * hands);
          store<T>(sums + at, load<T, T>(sums + at, lanes) * average + mix.share[a][u] * weight[u], lanes);
        }
      }
    for (int u = 0; u < U; ++u) {
      V<T> worth = scales.foresight != T(0) ? ahead.value(u, value[u], scales.foresight) : value[u];
      if constexpr (Rows::ROLES) worth = roles.learns > T(0) ? worth : roles.best > T(0) ? best.value : value[u];
      store<T>(out + h + u * N, worth);
    }
  });
}

// The same with 16-bit regrets, in two steps, because the size of a step depends on all regrets of the node.  The first
// step leaves the new regrets in `room`, [A, stride], and returns the greatest of them; settle() rounds them.  The
// average strategy, not weighted by reach, is stored in steps of 1 / (the greatest number of its type); `averages` is
// null if it does not change.
template <int A, class Rows, class Average>
APART float learn_fixed(const Rows rows, const float step, const int actions, const float* child, float* out,
                        const int stride, Average* averages, float* room, const Scales<float>& scales) {
  constexpr int N = Vec<float>::N;
  constexpr float STEPS = float(Average(-1));
  const int count = A ? A : actions, hands = rows.hands;
  const V<float> more = splat(scales.positive - scales.negative), negative = splat(scales.negative);
  const V<float> keep = splat(1.0f - scales.share), share = splat(scales.share * STEPS), dither = splat(scales.dither);
  const V<float> worth = splat(step);
  V<float> most[TOGETHER<A>] = {};  // for each of the vectors a maximum of its own, for which no other waits
  by_vectors<N, TOGETHER<A>>(hands, [&](int h, auto lanes, auto together) INLINED {
    constexpr int U = together;
    Mix<float, A, U> mix;
    V<float> value[U];
    Foresight<float, U> ahead;
    mix.match(rows, count, h, lanes, 0.0f);
    mix.value(count, child + h, stride, value);
    const auto roles = roles_of<float>(rows, h, lanes);
    for (int a = 0; a < count; ++a)
      for (int u = 0; u < U; ++u) {
        const int64_t at = int64_t(a) * stride + h + u * N;
        const V<float> below = load<float, float>(child + at);
        V<float> gain = below - value[u];
        if constexpr (Rows::ROLES) gain *= roles.learns;
        V<float> regret = mix.held[a][u] * worth + gain;
        regret = regret * negative + max<float>(regret, V<float>{}) * more;
        store<float>(room + at, regret);
        ahead.add(u, max<float>(regret, V<float>{}), below);
        most[u] = max<float>(only<float>(magnitude<float>(regret), lanes), most[u]);
      }
    for (int u = 0; u < U; ++u) {
      V<float> ahead_value = ahead.value(u, value[u], scales.foresight);
      if constexpr (Rows::ROLES) ahead_value = roles.learns > 0.0f ? ahead_value : value[u];
      store<float>(out + h + u * N, ahead_value);
    }
    for (int a = 0; a < count; ++a) {
      ask_for(rows.at + int64_t(a) * hands + h - AHEAD * count * hands);
      if (!averages) continue;
      V<float> average[U];
      Average* to = averages + int64_t(a) * hands + h;
      ask_for(to - AHEAD * count * hands);
      for (int u = 0; u < U; ++u) {
        average[u] = load<float, Average>(to + u * N, lanes) * keep + (mix.share[a][u] * share + dither);
      }
      if constexpr (U == 2) store_rounded(to, average[0], average[1]);
      else store_rounded(to, average[0], lanes);
    }
  });
  return largest<float>(max<float>(most[0], most[TOGETHER<A> - 1]));
}

// Rounds the new regrets of a node to steps; `inverse` is 1 / step.
APART inline void settle(const FixedRows rows, const int actions, const int stride, const float* room,
                         const float inverse) {
  constexpr int N = Vec<float>::N;
  const V<float> scale = splat(inverse);
  for (int a = 0; a < actions; ++a) {
    const float* regret = room + int64_t(a) * stride;
    int16_t* to = rows.at + int64_t(a) * rows.hands;
    by_vectors<N, 2>(rows.hands, [&](int h, auto lanes, auto together) INLINED {
      if constexpr (together == 2) {
        store_rounded(to + h, load<float, float>(regret + h) * scale, load<float, float>(regret + h + N) * scale);
      } else {
        store_rounded(to + h, load<float, float>(regret + h) * scale, lanes);
      }
    });
  }
}

}  // namespace
}  // namespace ERRAI_ISA
}  // namespace errai
