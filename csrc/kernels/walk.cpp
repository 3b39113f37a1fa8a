// The walk over a public tree, for one player: reach down, values up, regrets updated on the way.
//
// This file is compiled once per instruction set (ERRAI_ISA names the namespace, ERRAI_VECTOR_BYTES the width).  All
// of it has internal linkage and nothing of the C++ library's containers is used, so that no code made for a newer
// processor can be picked by the linker for an older one.
//
// The unit of work is one board with all betting nodes of its street.  Reach and values are rows of hands
// [slot or node][stride]; decisions.hpp works along those rows, terminals.hpp across them.

#include <cstddef>

#include "bucket_rows.hpp"
#include "decisions.hpp"
#include "terminals.hpp"
#include "tree.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

// Products of small shares must not end in denormal numbers, which take a hundred times as long: they are 0 here.
// In tasks, thread 0 has been told already.
class FlushToZero {
 public:
#if defined(__x86_64__)
  explicit FlushToZero(int thread = -1) : before_(thread ? __builtin_ia32_stmxcsr() : 0) {
    if (before_) __builtin_ia32_ldmxcsr(before_ | 0x8040);
  }
  ~FlushToZero() {
    if (before_) __builtin_ia32_ldmxcsr(before_);
  }

 private:
  unsigned before_;  // never 0 where it was read: exceptions are masked by bits of it
#else
  explicit FlushToZero(int = -1) {}
#endif
};

template <class T, class Source, int K>
class Walk {
 public:
  explicit Walk(const Job& job)
      : job_(job),
        tree_(*job.tree),
        me_(job.player),
        other_(1 - job.player),
        tie_(std::is_same_v<Source, int16_t> || !job.tied ? T(0) : T(job.tree->tie)),
        scales_(job.coefficients),
        room_(static_cast<T*>(job.scratch[0].rows)) {}

  void run() {
    const Street& street = tree_.street[job_.street];
    const Scratch& scratch = job_.scratch[0];
    const int outs = job_.all_entries ? job_.all_entries : job_.out_nodes;
    for (int board = job_.first_board; board < job_.last_board; ++board) {
      read_entries(other_, board, reach(scratch.opponent, job_.street));
      read_entries(me_, board, reach(scratch.own, job_.street));
      walk(scratch, job_.street, board, job_.partial);
      if (!job_.out) continue;
      const T* values = reach(scratch.values, job_.street);
      const Hands& held = street.hands[me_];
      const int hands = held.count(board);
      double* out = job_.out + outs * (held.start[board] - held.start[job_.first_board]) + int64_t(job_.first_entry) * hands;
      for (int node = 0; node < job_.out_nodes; ++node, out += hands)
        for (int h = 0; h < hands; ++h) out[h] = double(values[int64_t(node) * street.stride[me_] + h]);
    }
  }

 private:
  // What a player brings to the entries of a board with which the walk starts.
  void read_entries(int player, int board, T* to) const {
    const Street& street = tree_.street[job_.street];
    const Hands& held = street.hands[player];
    const int hands = held.count(board);
    const double* from = job_.entering[player];
    const int entries = job_.all_entries ? job_.all_entries : street.entries;
    if (from) from += entries * (held.start[board] - held.start[job_.first_board]) + int64_t(job_.first_entry) * hands;
    for (int e = 0; e < street.entries; ++e)
      for (int h = 0; h < hands; ++h)
        to[int64_t(e) * street.stride[player] + h] = from ? T(from[int64_t(e) * hands + h]) : T(1);
  }

  const Job& job_;
  const Tree& tree_;
  const int me_, other_;
  const T tie_;
  const Scales<T> scales_;
  T* const room_;  // of the rows of one node over buckets; a walk over buckets is one thread's
  static constexpr float REGRET_STEPS = 32767.0f;
  static constexpr bool FIXED = std::is_same_v<Source, int16_t> && std::is_same_v<T, float>;
  static constexpr bool BUCKETED = std::is_same_v<Source, Bucketed>;

  static T* reach(void* const* buffers, int street) { return static_cast<T*>(buffers[street]); }
  // Whether this iteration enters the average at all.
  bool averages() const { return FIXED ? scales_.share != 0 : scales_.weight != 0 || scales_.average != 1; }
  bool needs_own() const {
    if constexpr (BUCKETED) {
      const bool learns = job_.mode == Mode::UPDATE || job_.mode == Mode::LEAF_REACH;
      return learns && job_.tables->sums && !job_.tables->others_average;
    }
    return job_.mode == Mode::LEAF_REACH || (job_.mode == Mode::UPDATE && job_.weighted && averages());
  }

  // Values of all nodes of board b into scratch.values[s]; the entry slots of reach are filled already.
  void walk(const Scratch& scratch, int s, int b, bool parallel) {
    const Street& street = tree_.street[s];
    const Plan& plan = street.plan[me_];
    if (parallel && plan.num_sections && job_.mode != Mode::LEAF_REACH) return sections(scratch, s, b);
    down(scratch, s, b, plan.whole);
    if (job_.mode == Mode::LEAF_REACH) {
      write_leaf_reach(scratch, s, b);
    } else {
      terminals<T, K>(tree_, street, plan.whole, b, me_, scratch, reach(scratch.opponent, s), reach(scratch.values, s),
                      job_.halves);
      if (street.leaves) read_leaves(scratch, s, b);
    }
    if (street.exits) {
      leave(scratch, s, b);
      if (parallel && street.child_start[b + 1] > street.child_start[b]) {
        children_in_parallel(scratch, s, b);
      } else {
        T* sum = reach(scratch.exit_values, s);
        children(scratch, scratch, s, street.child_start[b], street.child_start[b + 1], sum);
        if (job_.mode != Mode::LEAF_REACH) collect(scratch, s, b, sum);
      }
    }
    if (job_.mode != Mode::LEAF_REACH) up(scratch, s, b, plan.whole);
  }

  // A street that is all of the tree: down to the subtrees that are tasks, these, and up from them. Each thread works in
  // memory of its own, since cores take long to hand lines of their caches to each other.
  void sections(const Scratch& scratch, int s, int b) {
    const Plan& plan = tree_.street[s].plan[me_];
    down(scratch, s, b, plan.top);
    Parallel context{this, s, b, 0};
    run_tasks(job_.team, plan.num_sections, &Walk::section_task, &context);
    up(scratch, s, b, plan.top);
  }

  static void section_task(void* context, int task, int thread) {
    const FlushToZero flush(thread);
    const Parallel& work = *static_cast<Parallel*>(context);
    Walk& self = *work.walk;
    const Street& street = self.tree_.street[work.street];
    const Section& section = street.plan[self.me_].sections[task];
    const Scratch& above = self.job_.scratch[0];
    const Scratch& scratch = self.job_.scratch[thread];
    const int s = work.street, b = work.board;
    const auto copy = [&](void* const* from, void* const* to, int row, int player) {
      const int64_t at = int64_t(row) * street.stride[player];
      std::memcpy(reach(to, s) + at, reach(from, s) + at, size_t(street.hands[player].count(b)) * sizeof(T));
    };
    const Plan& plan = street.plan[self.me_];
    for (int i = 0; thread != 0 && i < section.num_roots; ++i) {
      copy(above.opponent, scratch.opponent, plan.opponent_slot[section.roots[i]], self.other_);
      if (self.needs_own()) copy(above.own, scratch.own, plan.own_slot[section.roots[i]], self.me_);
    }
    self.down(scratch, s, b, section);
    terminals<T, K>(self.tree_, street, section, b, self.me_, scratch, reach(scratch.opponent, s), reach(scratch.values, s),
                    self.job_.halves);
    self.up(scratch, s, b, section);
    for (int i = 0; thread != 0 && i < section.num_roots; ++i)
      copy(scratch.values, above.values, section.roots[i], self.me_);
  }

  static void clear(T* row, int n) { std::memset(row, 0, size_t(n) * sizeof(T)); }

  // What the strategy of a node is matched to on a board.
  auto rows_of(int s, int b, int player, int node) const {
    const Street& street = tree_.street[s];
    const int hands = street.hands[player].count(b), row = street.row[node];
    const int64_t at = street.block(player, b) + int64_t(row) * hands;
    if constexpr (FIXED) {
      // Regrets are what is learnt, so this is not only read; a job that updates has been given arrays to write to.
      return FixedRows{const_cast<int16_t*>(static_cast<const int16_t*>(job_.source[s * 2 + player])) + at, hands};
    } else {
      return PlainRows<T, Source>{static_cast<const Source*>(job_.source[s * 2 + player]) + at, hands};
    }
  }

  // Reach at the nodes of a part of a board.
  void down(const Scratch& scratch, int s, int b, const Section& section) {
    const Plan& plan = tree_.street[s].plan[me_];
    down(s, b, section, other_, reach(scratch.opponent, s), plan.opponent_slot);
    if (needs_own()) down(s, b, section, me_, reach(scratch.own, s), plan.own_slot);
  }

  // Multiply a player's reach through his decision nodes.
  APART void down(int s, int b, const Section& section, int player, T* vectors, const int32_t* slot) {
    const Street& street = tree_.street[s];
    const int stride = street.stride[player];
    for (int i = 0; i < section.num_decisions; ++i) {
      const int node = section.decisions[i];
      if (street.actor[node] != player) continue;
      const T* from = vectors + int64_t(slot[node]) * stride;
      T* to = vectors + int64_t(slot[street.first_child[node]]) * stride;
      const int actions = street.num_children[node];
      by_actions(actions, [&](auto known) {
        if constexpr (BUCKETED) {
          descend_at<known>(s, b, player, node, from, to);
        } else {
          descend<known>(rows_of(s, b, player, node), actions, tie_, from, to, stride);
        }
      });
    }
  }

  // --- buckets ---

  // The memory that a node's strategy over live buckets takes, and behind it the room for sums over them.
  static int bucket_stride(const Street& street) { return street.stride[0] > street.stride[1] ? street.stride[0] : street.stride[1]; }

  BoardBuckets<T> buckets_of(int s, int b, int player) const {
    const Buckets& buckets = job_.tables->buckets[s * 2 + player];
    const Hands& hands = tree_.street[s].hands[player];
    const int64_t first = hands.start[b], live = buckets.live_start[b];
    const T* weight = static_cast<const T*>(buckets.weight);
    return {int(buckets.live_start[b + 1] - live), buckets.live + live, buckets.place + first,
            weight ? weight + first : nullptr, hands.count(b)};
  }

  // Where the rows of a node begin in a table.
  int64_t table_at(int s, int player, int node) const {
    return tree_.street[s].row[node] * job_.tables->buckets[s * 2 + player].count;
  }

  template <int A>
  void match_at(int s, int b, int player, int node, T* share) const {
    const Street& street = tree_.street[s];
    match_buckets<A>(static_cast<const T*>(job_.source[s * 2 + player]) + table_at(s, player, node),
                     job_.tables->buckets[s * 2 + player].count, buckets_of(s, b, player), street.num_children[node], tie_,
                     share, bucket_stride(street));
  }

  template <int A>
  void descend_at(int s, int b, int player, int node, const T* from, T* to) const {
    const Street& street = tree_.street[s];
    const BucketTables& tables = *job_.tables;
    const int actions = street.num_children[node], stride = street.stride[player];
    if (player == other_ && tables.against && tables.against[s * 2 + player]) {
      const int hands = street.hands[player].count(b);
      const PlainRows<T, uint16_t> rows{
          tables.against[s * 2 + player] + street.block(player, b) + int64_t(street.row[node]) * hands, hands};
      return descend<A>(rows, actions, T(0), from, to, stride);
    }
    T* share = room_;
    const int width = bucket_stride(street);
    const BoardBuckets<T> board = buckets_of(s, b, player);
    match_at<A>(s, b, player, node, share);
    descend_buckets<A>(share, width, board, actions, from, to, stride);
    if (player == other_ && job_.mode == Mode::UPDATE && tables.sums && tables.others_average) {
      average_buckets<A>(share, width, board, actions, from,
                         static_cast<T*>(tables.sums[s * 2 + player]) + table_at(s, player, node),
                         tables.buckets[s * 2 + player].count, T(tables.sum_weight), share + int64_t(actions) * width);
    }
  }

  template <int A>
  void rise_at(const Scratch& scratch, int s, int b, int node, const T* child, T* out) const {
    const Street& street = tree_.street[s];
    const BucketTables& tables = *job_.tables;
    const int actions = street.num_children[node], stride = street.stride[me_], width = bucket_stride(street);
    T* share = room_;
    T* room = share + int64_t(actions) * width;
    const BoardBuckets<T> board = buckets_of(s, b, me_);
    match_at<A>(s, b, me_, node, share);
    mix_buckets<A>(share, width, board, actions, child, out, stride);
    if (job_.mode != Mode::UPDATE) return;
    const int64_t at = table_at(s, me_, node), columns = tables.buckets[s * 2 + me_].count;
    learn_buckets<A>(share, width, board, actions, child, stride, static_cast<T*>(tables.regrets[s * 2 + me_]) + at,
                     columns, T(tables.regret_weight), tables.floor, room);
    if (needs_own()) {
      const T* own = reach(scratch.own, s) + int64_t(street.plan[me_].own_slot[node]) * stride;
      average_buckets<A>(share, width, board, actions, own, static_cast<T*>(tables.sums[s * 2 + me_]) + at, columns,
                         T(tables.sum_weight), room);
    }
  }

  template <int W>
  static L<T, W>* lanes_of(void* const* buffers, int street) {
    return static_cast<L<T, W>*>(buffers[street]);
  }

  // The reach at the exits of board b, turned into lanes, for its children to take from.
  APART void leave(const Scratch& scratch, int s, int b) {
    const Street& street = tree_.street[s];
    for (int p = 0; p < 2; ++p) {
      if (p == me_ && !needs_own()) continue;
      const int32_t* slot = p == me_ ? street.plan[me_].own_slot : street.plan[me_].opponent_slot;
      const T* from = reach(p == me_ ? scratch.own : scratch.opponent, s);
      by_lanes<T>(street.exits, [&](auto width) {
        constexpr int W = width;
        to_lanes<T, W>(street.hands[p].count(b), vectors_for<W>(street.exits), [&](int x) {
          return x < street.exits ? from + int64_t(slot[street.exit_node[x]]) * street.stride[p]
                                  : static_cast<const T*>(scratch.zeros);
        }, lanes_of<W>(p == me_ ? scratch.own_exits : scratch.opponent_exits, s));
      });
    }
  }

  // Reach at the entries of board c, from the exits of its parent.
  APART void enter(const Scratch& above, const Scratch& below, int s, int c) {
    const Street& street = tree_.street[s];
    const Street& next = tree_.street[s + 1];
    for (int p = 0; p < 2; ++p) {
      if (p == me_ && !needs_own()) continue;
      const int32_t* parent = next.hands[p].parent + next.hands[p].start[c];
      T* to = reach(p == me_ ? below.own : below.opponent, s + 1);
      by_lanes<T>(street.exits, [&](auto width) {
        constexpr int W = width;
        from_lanes<T, W>(next.hands[p].count(c), street.exits, [&](int h) { return parent[h]; },
                         lanes_of<W>(p == me_ ? above.own_exits : above.opponent_exits, s),
                         [&](int x) { return to + int64_t(x) * next.stride[p]; });
      });
    }
  }

  // Add the values of board c's entries to the exits of its parent, which are turned into lanes.
  APART void add_child(const Scratch& below, int s, int c, T* to) {
    by_lanes<T>(tree_.street[s].exits, [&](auto width) {
      add_lanes<width>(below, s, c, reinterpret_cast<L<T, width>*>(to));
    });
  }

  template <int W>
  INLINED void add_lanes(const Scratch& below, int s, int c, L<T, W>* to) {
    const Street& street = tree_.street[s];
    const Street& next = tree_.street[s + 1];
    const Hands& hands = next.hands[me_];
    const int32_t* parent = hands.parent + hands.start[c];
    const double* weight = hands.up_weight + hands.start[c];
    const int count = hands.count(c), groups = vectors_for<W>(street.exits);
    const T* values = reach(below.values, s + 1);
    for (int m = 0; m < groups; ++m) {
      const T* from[W];
      for (int l = 0; l < W; ++l)
        from[l] = m * W + l < street.exits ? values + int64_t(m * W + l) * next.stride[me_] : static_cast<const T*>(below.zeros);
      for (int h = 0; h < count; h += W) {
        L<T, W> block[W];
        turn<T, W>(from, h, block);
        if (count - h >= W) {
          for (int l = 0; l < W; ++l) to[int64_t(parent[h + l]) * groups + m] += block[l] * T(weight[h + l]);
        } else {
          for (int l = 0; l < W; ++l)
            if (h + l < count) to[int64_t(parent[h + l]) * groups + m] += block[l] * T(weight[h + l]);
        }
      }
    }
  }

  // What the children of board b have added up, as rows at its exits.
  void collect(const Scratch& scratch, int s, int b, const T* from) {
    const Street& street = tree_.street[s];
    T* values = reach(scratch.values, s);
    by_lanes<T>(street.exits, [&](auto width) {
      constexpr int W = width;
      from_lanes<T, W>(street.hands[me_].count(b), street.exits, [](int h) { return h; },
                       reinterpret_cast<const L<T, W>*>(from),
                       [&](int x) { return values + int64_t(street.exit_node[x]) * street.stride[me_]; });
    });
  }

  // Values of all lanes of the exits of a board of street s; a stride is whole vectors, and so is this.
  int64_t exit_size(int s) const {
    int lanes = 0;
    by_lanes<T>(tree_.street[s].exits, [&](auto width) { lanes = vectors_for<width>(tree_.street[s].exits) * width; });
    return int64_t(tree_.street[s].stride[me_]) * lanes;
  }

  struct Parallel {
    Walk* walk;
    int street, board, chunk;
  };

  // Chunks of children each write a buffer of their own; these are added in order, so that the result does not depend
  // on the number of threads.
  void children_in_parallel(const Scratch& scratch, int s, int b) {
    const Street& street = tree_.street[s];
    const int count = street.child_start[b + 1] - street.child_start[b];
    const int chunk = (count + CHUNKS - 1) / CHUNKS, chunks = (count + chunk - 1) / chunk;
    Parallel context{this, s, b, chunk};
    run_tasks(job_.team, chunks, &Walk::chunk_task, &context);
    if (job_.mode == Mode::LEAF_REACH) return;
    Sum sum{static_cast<V<T>*>(job_.partial), exit_size(s) / Vec<T>::N, chunks};
    run_tasks(job_.team, SLICES, &Walk::sum_task, &sum);
    collect(scratch, s, b, static_cast<T*>(job_.partial));
  }

  struct Sum {
    V<T>* at;
    int64_t size;
    int chunks;
  };
  static constexpr int SLICES = 4;

  static void sum_task(void* context, int task, int) {
    const Sum& sum = *static_cast<Sum*>(context);
    const int64_t first = sum.size * task / SLICES, last = sum.size * (task + 1) / SLICES;
    for (int c = 1; c < sum.chunks; ++c)
      for (int64_t i = first; i < last; ++i) sum.at[i] += sum.at[c * sum.size + i];
  }

  static void chunk_task(void* context, int task, int thread) {
    const FlushToZero flush(thread);
    const Parallel& work = *static_cast<Parallel*>(context);
    Walk& self = *work.walk;
    const Street& street = self.tree_.street[work.street];
    const int first = street.child_start[work.board] + task * work.chunk, end = street.child_start[work.board + 1];
    const int last = first + work.chunk < end ? first + work.chunk : end;
    self.children(self.job_.scratch[0], self.job_.scratch[thread], work.street, first, last,
                  static_cast<T*>(self.job_.partial) + task * self.exit_size(work.street));
  }

  // Walk some children of a board and add up their values.
  void children(const Scratch& above, const Scratch& below, int s, int first, int last, T* sum) {
    if (job_.mode != Mode::LEAF_REACH) std::memset(sum, 0, size_t(exit_size(s)) * sizeof(T));
    for (int c = first; c < last; ++c) {
      enter(above, below, s, c);
      walk(below, s + 1, c, false);
      if (job_.mode != Mode::LEAF_REACH) add_child(below, s, c, sum);
    }
  }

  // Values from the children up; at my nodes mix, respond best, or mix and learn.
  APART void up(const Scratch& scratch, int s, int b, const Section& section) {
    const Street& street = tree_.street[s];
    const int hands = street.hands[me_].count(b), stride = street.stride[me_];
    T* values = reach(scratch.values, s);
    for (int i = section.num_decisions - 1; i >= 0; --i) {
      const int node = section.decisions[i];
      const int actions = street.num_children[node];
      const T* child = values + int64_t(street.first_child[node]) * stride;
      T* out = values + int64_t(node) * stride;
      if (street.actor[node] != me_) {
        add_children<T>(actions, hands, child, out, stride);
      } else if constexpr (BUCKETED) {
        if (s >= job_.tables->best_from) {
          uint16_t* const* choices = job_.tables->choices;
          choose_best<T>(actions, hands, child, out, stride,
                         choices ? choices[s * 2 + me_] + street.block(me_, b) + int64_t(street.row[node]) * hands : nullptr);
        } else {
          by_actions(actions, [&](auto known) { rise_at<known>(scratch, s, b, node, child, out); });
        }
      } else if (job_.mode == Mode::BEST_RESPONSE) {
        best_child<T>(actions, hands, child, out, stride);
      } else if (job_.mode == Mode::EVALUATE) {
        by_actions(actions, [&](auto known) {
          mix_children<known>(rows_of(s, b, me_, node), actions, tie_, child, out, stride);
        });
      } else {
        learn_at(scratch, s, b, node, child, out);
      }
    }
  }

  void learn_at(const Scratch& scratch, int s, int b, int node, const T* child, T* out) {
    const Street& street = tree_.street[s];
    const auto rows = rows_of(s, b, me_, node);
    const int stride = street.stride[me_], actions = street.num_children[node];
    const int64_t at = street.block(me_, b) + int64_t(street.row[node]) * rows.hands;
    by_actions(actions, [&](auto known) {
      if constexpr (FIXED) {
        float& step = job_.scales[s * 2 + me_][int64_t(b) * street.decisions[me_] + street.decision[node]];
        float* room = static_cast<float*>(scratch.rows);
        const float top = learn_fixed<known>(rows, step, actions, child, out, stride,
                                             averages() ? static_cast<uint16_t*>(job_.sums[s * 2 + me_]) + at : nullptr,
                                             room, scales_);
        const bool any = top > float(tree_.tie);
        step = any ? top * (1.0f / REGRET_STEPS) : 0.0f;
        settle(rows, actions, stride, room, any ? REGRET_STEPS / top : 0.0f);
      } else if constexpr (std::is_same_v<T, Source>) {
        const auto array = [&](void* const* arrays) {
          return arrays ? static_cast<T*>(arrays[s * 2 + me_]) + at : nullptr;
        };
        const T* own = reach(scratch.own, s) + int64_t(street.plan[me_].own_slot[node]) * stride;
        learn<known>(rows, actions, tie_, child, out, stride, array(job_.regrets),
                     averages() ? array(job_.sums) : nullptr, array(job_.predicted), needs_own() ? own : nullptr, scales_);
      }
    });
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
      if (p == me_ && !needs_own()) continue;
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
  const FlushToZero flush;
  if (job.tables) {
    return job.value_type == Type::FLOAT64 ? by_hole_cards<double, Bucketed>(job) : by_hole_cards<float, Bucketed>(job);
  }
  const bool wide = job.value_type == Type::FLOAT64;
  switch (job.source_type) {
    case Type::FLOAT32: return wide ? by_hole_cards<double, float>(job) : by_hole_cards<float, float>(job);
    case Type::UINT16: return wide ? by_hole_cards<double, uint16_t>(job) : by_hole_cards<float, uint16_t>(job);
    case Type::INT16: return wide ? by_hole_cards<double, int16_t>(job) : by_hole_cards<float, int16_t>(job);
    case Type::FLOAT64: return by_hole_cards<double, double>(job);
  }
}

}  // namespace ERRAI_ISA
}  // namespace errai
