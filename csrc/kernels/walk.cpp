// The walk over a public tree, for one player: reach down, values up, regrets updated on the way.
//
// This file is compiled once per instruction set (ERRAI_ISA names the namespace, ERRAI_VECTOR_BYTES the width).  All
// of it has internal linkage and nothing of the C++ library's containers is used, so that no code made for a newer
// processor can be picked by the linker for an older one.
//
// The unit of work is one board with all betting nodes of its street.  Reach and values are rows of hands
// [slot or node][stride]; decisions are computed hand by hand along those rows.  At terminal nodes the roles turn:
// the reach vectors of several nodes become the lanes of a vector, and one sweep over the hands serves them all.

#include "tree.hpp"

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace errai {
namespace ERRAI_ISA {
namespace {

template <class T>
struct Vec {
  static constexpr int N = ERRAI_VECTOR_BYTES / int(sizeof(T));
  typedef T type __attribute__((vector_size(ERRAI_VECTOR_BYTES)));
};
template <class T>
using V = typename Vec<T>::type;

template <class T>
inline V<T> load(const T* from) {
  V<T> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class T>
inline void store(T* to, V<T> v) {
  std::memcpy(to, &v, sizeof v);
}

// Up to N values of any type as a vector; lanes from n on are 0.
template <class T, class From>
inline V<T> load_some(const From* from, int n) {
  constexpr int N = Vec<T>::N;
  if constexpr (sizeof(T) == sizeof(From)) {
    if (n >= N) return load<T>(reinterpret_cast<const T*>(from));
  }
  alignas(ERRAI_VECTOR_BYTES) T part[N] = {};
  if (n >= N) {
    for (int i = 0; i < N; ++i) part[i] = T(from[i]);
  } else {
    for (int i = 0; i < n; ++i) part[i] = T(from[i]);
  }
  return load<T>(part);
}

template <class T>
inline void store_some(T* to, V<T> v, int n) {
  if (n >= Vec<T>::N) {
    store<T>(to, v);
  } else {
    std::memcpy(to, &v, size_t(n) * sizeof(T));
  }
}


// One step of a square transpose: rows a and b exchange the blocks of D lanes that are on the wrong side.
template <class T, int D>
inline void exchange(V<T>& a, V<T>& b) {
  constexpr int N = Vec<T>::N;
  using I = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef I Mask __attribute__((vector_size(ERRAI_VECTOR_BYTES)));
  Mask low{}, high{};
  for (int j = 0; j < N; ++j) {
    low[j] = (j & D) ? N + j - D : j;
    high[j] = (j & D) ? N + j : j + D;
  }
#if defined(__clang__)
  V<T> x, y;
  for (int j = 0; j < N; ++j) {
    x[j] = (j & D) ? b[j - D] : a[j];
    y[j] = (j & D) ? b[j] : a[j + D];
  }
  a = x;
  b = y;
#else
  V<T> x = __builtin_shuffle(a, b, low), y = __builtin_shuffle(a, b, high);
  a = x;
  b = y;
#endif
}

template <class T, int D = Vec<T>::N / 2>
inline void transpose(V<T>* rows) {
  if constexpr (D >= 1) {
    for (int i = 0; i < Vec<T>::N; ++i)
      if (!(i & D)) exchange<T, D>(rows[i], rows[i + D]);
    transpose<T, D / 2>(rows);
  }
}

// Regret matching for one vector of hands: action a's share of what is above `tie`.  Fills sigma[0..A).
template <class T, class Source>
inline void match(const Source* rows, int actions, int hands, int n, T tie, V<T>* sigma) {
  V<T> total{};
  for (int a = 0; a < actions; ++a) {
    const V<T> weight = load_some<T, Source>(rows + int64_t(a) * hands, n);
    sigma[a] = weight > tie ? weight : V<T>{};
    total += sigma[a];
  }
  const V<T> one = V<T>{} + T(1);
  const auto some = total > T(0);
  const V<T> scale = one / (some ? total : one);
  const V<T> uniform = V<T>{} + T(1) / T(actions);
  for (int a = 0; a < actions; ++a) sigma[a] = some ? sigma[a] * scale : uniform;
}

constexpr int MAX_ACTIONS = 64;

template <class T, class Source, int K>
class Walk {
 public:
  explicit Walk(const Job& job)
      : job_(job),
        tree_(*job.tree),
        me_(job.player),
        other_(1 - job.player),
        tie_(job.mode == Mode::EVALUATE || job.mode == Mode::BEST_RESPONSE ? T(0) : T(job.tree->tie)) {}

  void run() {
    const Street& street = tree_.street[job_.street];
    const Scratch& scratch = job_.scratch[0];
    const int board = job_.board;
    const double* entering = job_.entering ? job_.entering : tree_.root_reach[other_];
    const int hands = street.hands[other_].count(board);
    T* opponent = reach(scratch.opponent, job_.street);
    for (int e = 0; e < street.entries; ++e)
      for (int h = 0; h < hands; ++h) opponent[e * street.stride[other_] + h] = T(entering[e * hands + h]);
    const int mine = street.hands[me_].count(board);
    T* own = reach(scratch.own, job_.street);
    for (int e = 0; e < street.entries; ++e)
      for (int h = 0; h < mine; ++h)
        own[e * street.stride[me_] + h] = job_.entering ? T(1) : T(tree_.root_reach[me_][h]);
    walk(scratch, job_.street, board, job_.partial != nullptr);
    if (job_.root_out) {
      const T* values = reach(scratch.values, job_.street);
      const int count = job_.entering ? street.nodes : 1;
      for (int node = 0; node < count; ++node)
        for (int h = 0; h < mine; ++h) job_.root_out[int64_t(node) * mine + h] = double(values[node * street.stride[me_] + h]);
    }
  }

 private:
  const Job& job_;
  const Tree& tree_;
  const int me_, other_;
  const T tie_;

  static T* reach(void* const* buffers, int street) { return static_cast<T*>(buffers[street]); }
  bool needs_own() const { return job_.mode == Mode::LEAF_REACH || (job_.mode == Mode::UPDATE && job_.weighted); }

  // Values of all nodes of board b into scratch.values[s]; the entry slots of reach are filled already.
  void walk(const Scratch& scratch, int s, int b, bool parallel) {
    const Street& street = tree_.street[s];
    down(scratch, s, b, other_, reach(scratch.opponent, s), street.plan[me_].opponent_slot);
    if (needs_own()) down(scratch, s, b, me_, reach(scratch.own, s), street.plan[me_].own_slot);
    if (job_.mode == Mode::LEAF_REACH) {
      write_leaf_reach(scratch, s, b);
    } else {
      terminals(scratch, s, b);
      if (street.leaves) read_leaves(scratch, s, b);
    }
    if (street.exits && street.child_start[b + 1] > street.child_start[b]) {
      if (parallel) {
        children_in_parallel(scratch, s, b);
      } else {
        T* values = reach(scratch.values, s);
        for (int x = 0; x < street.exits; ++x) clear(values + street.exit_node[x] * street.stride[me_], street.stride[me_]);
        for (int c = street.child_start[b]; c < street.child_start[b + 1]; ++c) {
          enter(scratch, scratch, s, b, c);
          walk(scratch, s + 1, c, false);
          if (job_.mode != Mode::LEAF_REACH) add_child(scratch, s, c, values, street.exit_node);
        }
      }
    } else if (street.exits) {
      T* values = reach(scratch.values, s);
      for (int x = 0; x < street.exits; ++x) clear(values + street.exit_node[x] * street.stride[me_], street.stride[me_]);
    }
    if (job_.mode != Mode::LEAF_REACH) up(scratch, s, b);
  }

  static void clear(T* row, int n) { std::memset(row, 0, size_t(n) * sizeof(T)); }

  // Multiply a player's reach through his decision nodes.
  void down(const Scratch&, int s, int b, int player, T* vectors, const int32_t* slot) {
    constexpr int N = Vec<T>::N;
    const Street& street = tree_.street[s];
    const int hands = street.hands[player].count(b), stride = street.stride[player];
    const Source* base = static_cast<const Source*>(job_.source[s * 2 + player]) + street.block(player, b);
    for (int node = 0; node < street.nodes; ++node) {
      if (street.kind[node] != DECISION || street.actor[node] != player) continue;
      const int actions = street.num_children[node];
      const Source* rows = base + int64_t(street.row[node]) * hands;
      const T* from = vectors + int64_t(slot[node]) * stride;
      T* to = vectors + int64_t(slot[street.first_child[node]]) * stride;
      V<T> sigma[MAX_ACTIONS];
      for (int h = 0; h < hands; h += N) {
        match<T, Source>(rows + h, actions, hands, hands - h, tie_, sigma);
        const V<T> r = load<T>(from + h);
        for (int a = 0; a < actions; ++a) store<T>(to + int64_t(a) * stride + h, sigma[a] * r);
      }
    }
  }

  // Fold and showdown nodes, a vector of lanes at a time.
  void terminals(const Scratch& scratch, int s, int b) {
    constexpr int N = Vec<T>::N;
    const Street& street = tree_.street[s];
    const Plan& plan = street.plan[me_];
    for (int first = 0; first < plan.num_lanes; first += N)
      lane_group(scratch, s, b, plan.lanes + first, plan.num_lanes - first < N ? plan.num_lanes - first : N);
  }

  void lane_group(const Scratch& scratch, int s, int b, const Lane* lanes, int count) {
    constexpr int N = Vec<T>::N;
    const Street& street = tree_.street[s];
    const Hands& mine = street.hands[me_];
    const Hands& theirs = street.hands[other_];
    const int my_count = mine.count(b), their_count = theirs.count(b);
    const int my_stride = street.stride[me_], their_stride = street.stride[other_];
    const int64_t my_first = mine.start[b], their_first = theirs.start[b];
    const T* opponent = reach(scratch.opponent, s);
    T* values = reach(scratch.values, s);

    V<T>* entered = static_cast<V<T>*>(scratch.lanes);  // [their hands] reach, a lane per terminal
    V<T>* partial = entered + their_stride;             // [my hands] W(before) + W(through the group)
    V<T>* card = partial + my_stride;                   // [cards] reach of the hands that hold the card
    const T* from[N];
    bool any_fold = false, any_show = false;
    for (int l = 0; l < N; ++l) {
      from[l] = l < count ? opponent + int64_t(lanes[l].slot) * their_stride : static_cast<const T*>(scratch.zeros);
      if (l < count) {
        any_fold |= lanes[l].fold_node >= 0;
        any_show |= lanes[l].show_node >= 0;
      }
    }
    for (int h = 0; h < their_count; h += N) {
      V<T> block[N];
      for (int l = 0; l < N; ++l) block[l] = load<T>(from[l] + h);
      transpose<T>(block);
      for (int l = 0; l < N; ++l) entered[h + l] = block[l];
    }
    for (int c = 0; c < tree_.num_cards; ++c) card[c] = V<T>{};
    V<T> total{};

    const uint8_t* my_cards = mine.cards + my_first * K;
    const int64_t* member_start = theirs.member_start + their_first;
    const auto add = [&](int j) {
      const V<T> r = entered[j];
      for (int64_t m = member_start[j]; m < member_start[j + 1]; ++m) {
        const uint8_t* c = theirs.member_cards + m * K;
        total += r;
        card[c[0]] += r;
        if constexpr (K == 2) card[c[1]] += r;
      }
    };
    // What is left of the opponent's reach when my cards are taken out; an equal hand is taken out twice when K = 2.
    const auto without = [&](int i) {
      V<T> w = total - card[my_cards[i * K]];
      if constexpr (K == 2) w -= card[my_cards[i * K + 1]];
      return w;
    };
    int j = 0;
    if (any_show) {
      const int32_t* my_rank = mine.rank + my_first;
      const int32_t* their_rank = theirs.rank + their_first;
      for (int i = 0; i < my_count;) {
        const int32_t rank = my_rank[i];
        while (j < their_count && their_rank[j] < rank) add(j++);
        int end = i;
        for (; end < my_count && my_rank[end] == rank; ++end) partial[end] = without(end);
        if (j < their_count && their_rank[j] == rank) {
          while (j < their_count && their_rank[j] == rank) add(j++);
          for (int h = i; h < end; ++h) partial[h] += without(h);
        } else {
          for (int h = i; h < end; ++h) partial[h] += partial[h];
        }
        i = end;
      }
    }
    while (j < their_count) add(j++);

    const int32_t* twin = mine.twin + my_first;
    for (int h = 0; h < my_count; h += N) {
      const int n = my_count - h < N ? my_count - h : N;
      V<T> fold[N], show[N];
      for (int l = 0; l < n; ++l) {
        const V<T> w = without(h + l);
        show[l] = partial[h + l] - w;
        fold[l] = w;
        if constexpr (K == 2)
          if (twin[h + l] >= 0) fold[l] += entered[twin[h + l]];
      }
      for (int l = n; l < N; ++l) fold[l] = show[l] = V<T>{};
      if (any_fold) {
        transpose<T>(fold);
        for (int l = 0; l < count; ++l)
          if (const int node = lanes[l].fold_node; node >= 0) {
            const T chips = T(street.actor[node] == me_ ? -street.payoff[node] : street.payoff[node]);
            store<T>(values + int64_t(node) * my_stride + h, fold[l] * chips);
          }
      }
      if (any_show) {
        transpose<T>(show);
        for (int l = 0; l < count; ++l)
          if (const int node = lanes[l].show_node; node >= 0)
            store<T>(values + int64_t(node) * my_stride + h, show[l] * T(street.payoff[node]));
      }
    }
  }

  // Carry reach from the exits of board b to the entries of its child c.
  void enter(const Scratch& above, const Scratch& below, int s, int b, int c) {
    (void)b;
    const Street& street = tree_.street[s];
    const Street& next = tree_.street[s + 1];
    for (int p = 0; p < 2; ++p) {
      if (p == me_ && !needs_own()) continue;
      const int32_t* slot = p == me_ ? street.plan[me_].own_slot : street.plan[me_].opponent_slot;
      const T* from = reach(p == me_ ? above.own : above.opponent, s);
      T* to = reach(p == me_ ? below.own : below.opponent, s + 1);
      const int32_t* parent = next.hands[p].parent + next.hands[p].start[c];
      const int hands = next.hands[p].count(c);
      for (int x = 0; x < street.exits; ++x) {
        const T* row = from + int64_t(slot[street.exit_node[x]]) * street.stride[p];
        T* out = to + int64_t(x) * next.stride[p];
        for (int h = 0; h < hands; ++h) out[h] = row[parent[h]];
      }
    }
  }

  // Add the values of child c's entries to the exits above it; row x of `to` is at index[x], or at x.
  void add_child(const Scratch& below, int s, int c, T* to, const int32_t* index) {
    const Street& street = tree_.street[s];
    const Street& next = tree_.street[s + 1];
    const Hands& hands = next.hands[me_];
    const int32_t* parent = hands.parent + hands.start[c];
    const double* weight = hands.up_weight + hands.start[c];
    const int count = hands.count(c);
    const T* values = reach(below.values, s + 1);
    for (int x = 0; x < street.exits; ++x) {
      const T* row = values + int64_t(x) * next.stride[me_];
      T* out = to + int64_t(index ? index[x] : x) * street.stride[me_];
      for (int h = 0; h < count; ++h) out[parent[h]] += T(weight[h]) * row[h];
    }
  }

  struct Parallel {
    Walk* walk;
    int street, board;
  };

  // Each child writes a buffer of its own; they are added in the order of the children, so that the result does not
  // depend on the number of threads.
  void children_in_parallel(const Scratch& scratch, int s, int b) {
    const Street& street = tree_.street[s];
    const int first = street.child_start[b], count = street.child_start[b + 1] - first;
    const int64_t size = int64_t(street.exits) * street.stride[me_];
    Parallel context{this, s, b};
    run_tasks(job_.threads, count, &Walk::child_task, &context);
    if (job_.mode == Mode::LEAF_REACH) return;
    T* values = reach(scratch.values, s);
    const int stride = street.stride[me_];
    for (int x = 0; x < street.exits; ++x) {
      T* out = values + int64_t(street.exit_node[x]) * stride;
      clear(out, stride);
      for (int c = 0; c < count; ++c) {
        const T* part = static_cast<const T*>(job_.partial) + c * size + int64_t(x) * stride;
        for (int h = 0; h < stride; ++h) out[h] += part[h];
      }
    }
  }

  static void child_task(void* context, int task, int thread) {
    const Parallel& work = *static_cast<Parallel*>(context);
    Walk& self = *work.walk;
    const Street& street = self.tree_.street[work.street];
    const int child = street.child_start[work.board] + task;
    const Scratch& mine = self.job_.scratch[thread];
    self.enter(self.job_.scratch[0], mine, work.street, work.board, child);
    self.walk(mine, work.street + 1, child, false);
    if (self.job_.mode == Mode::LEAF_REACH) return;
    const int64_t size = int64_t(street.exits) * street.stride[self.me_];
    T* part = static_cast<T*>(self.job_.partial) + task * size;
    std::memset(part, 0, size_t(size) * sizeof(T));
    self.add_child(mine, work.street, child, part, nullptr);
  }

  // Values from the children up; at my nodes mix, respond best, or mix and update.
  void up(const Scratch& scratch, int s, int b) {
    constexpr int N = Vec<T>::N;
    const Street& street = tree_.street[s];
    const int hands = street.hands[me_].count(b), stride = street.stride[me_];
    T* values = reach(scratch.values, s);
    const int64_t block = street.block(me_, b);
    for (int node = street.nodes - 1; node >= 0; --node) {
      if (street.kind[node] != DECISION) continue;
      const int actions = street.num_children[node];
      const T* child = values + int64_t(street.first_child[node]) * stride;
      T* out = values + int64_t(node) * stride;
      if (street.actor[node] != me_ || job_.mode == Mode::BEST_RESPONSE) {
        const bool best = street.actor[node] == me_;
        for (int h = 0; h < hands; h += N) {
          V<T> v = load<T>(child + h);
          for (int a = 1; a < actions; ++a) {
            const V<T> w = load<T>(child + int64_t(a) * stride + h);
            v = best ? (w > v ? w : v) : v + w;
          }
          store<T>(out + h, v);
        }
        continue;
      }
      const int64_t rows = block + int64_t(street.row[node]) * hands;
      const Source* source = static_cast<const Source*>(job_.source[s * 2 + me_]) + rows;
      const T* own = reach(scratch.own, s) + int64_t(street.plan[me_].own_slot[node]) * stride;
      V<T> sigma[MAX_ACTIONS];
      for (int h = 0; h < hands; h += N) {
        const int n = hands - h;
        match<T, Source>(source + h, actions, hands, n, tie_, sigma);
        V<T> v{};
        for (int a = 0; a < actions; ++a) v += sigma[a] * load<T>(child + int64_t(a) * stride + h);
        store<T>(out + h, v);
        if (job_.mode == Mode::UPDATE) {
          V<T> weight = V<T>{} + T(job_.weight);
          if (job_.weighted) weight *= load<T>(own + h);
          for (int a = 0; a < actions; ++a)
            learn(s, rows + int64_t(a) * hands + h, n, load<T>(child + int64_t(a) * stride + h) - v, sigma[a] * weight);
        }
      }
    }
  }

  // One vector of hands at one action: regret, prediction and strategy sum.
  inline void learn(int s, int64_t at, int n, V<T> gain, V<T> played) {
    T* regret = static_cast<T*>(job_.regrets[s * 2 + me_]) + at;
    V<T> r = load_some<T, T>(regret, n) + gain;
    r *= r > T(0) ? V<T>{} + T(job_.positive) : V<T>{} + T(job_.negative);
    store_some<T>(regret, r, n);
    if (job_.predicted)
      store_some<T>(static_cast<T*>(job_.predicted[s * 2 + me_]) + at, r + gain * T(job_.prediction), n);
    T* sum = static_cast<T*>(job_.sums[s * 2 + me_]) + at;
    store_some<T>(sum, load_some<T, T>(sum, n) * T(job_.average) + played, n);
  }

  // Blocks [leaves, hands] of a board inside the arrays of leaf values and leaf reach.
  int64_t leaf_block(int s, int b, int player) const {
    return int64_t(tree_.street[s].leaves) * tree_.street[s].hands[player].start[b];
  }

  void read_leaves(const Scratch& scratch, int s, int b) {
    const Street& street = tree_.street[s];
    const int hands = street.hands[me_].count(b);
    for (int x = 0; x < street.leaves; ++x) {
      T* out = reach(scratch.values, s) + int64_t(street.leaf_node[x]) * street.stride[me_];
      if (job_.leaf_values) {
        const double* in = job_.leaf_values[s] + leaf_block(s, b, me_) + int64_t(x) * hands;
        for (int h = 0; h < hands; ++h) out[h] = T(in[h]);
      } else {
        clear(out, street.stride[me_]);
      }
    }
  }

  void write_leaf_reach(const Scratch& scratch, int s, int b) {
    const Street& street = tree_.street[s];
    for (int p = 0; p < 2; ++p) {
      const int hands = street.hands[p].count(b);
      const int32_t* slot = p == me_ ? street.plan[me_].own_slot : street.plan[me_].opponent_slot;
      const T* from = reach(p == me_ ? scratch.own : scratch.opponent, s);
      for (int x = 0; x < street.leaves; ++x) {
        double* out = job_.leaf_reach[p][s] + leaf_block(s, b, p) + int64_t(x) * hands;
        const T* row = from + int64_t(slot[street.leaf_node[x]]) * street.stride[p];
        for (int h = 0; h < hands; ++h) out[h] = double(row[h]);
      }
    }
  }
};

template <class T, class Source>
void by_hole_cards(const Job& job) {
  if (job.tree->hole_cards == 1) {
    Walk<T, Source, 1>(job).run();
  } else {
    Walk<T, Source, 2>(job).run();
  }
}

}  // namespace

void run(const Job& job) {
  if (job.value_type == Type::FLOAT32) {
    by_hole_cards<float, float>(job);
  } else if (job.source_type == Type::FLOAT32) {
    by_hole_cards<double, float>(job);
  } else if (job.source_type == Type::FLOAT64) {
    by_hole_cards<double, double>(job);
  } else {
    by_hole_cards<double, uint16_t>(job);
  }
}

}  // namespace ERRAI_ISA
}  // namespace errai
