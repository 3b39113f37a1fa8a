// The walk over a public tree for one player: reach down, values up.  This file has what all walks share: boards,
// threads, lanes and leaves.  The operations at decision nodes depend on the walk: over hands (walk.cpp) or over
// buckets (bucket_walk.cpp).
//
// Files that include this are compiled once per instruction set (ERRAI_ISA names the namespace, ERRAI_VECTOR_BYTES the
// width).  Everything has internal linkage, and no containers of the C++ library are used, so that the linker cannot
// pick code for a newer processor on an older one.
//
// The unit of work is one board with all betting nodes of its street.  Reach and values are rows of hands [slot or
// node][stride]; decisions.hpp works along those rows, terminals.cpp across them.
#pragma once

#include <cstddef>

#include "decisions.hpp"
#include "flush_to_zero.hpp"
#include "lanes.hpp"
#include "terminals.hpp"
#include "tree.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

// In addition to this, `Own` has: needs_own(), whether the own reach is needed; descend_at(), which multiplies a
// player's reach through an own node; and rise_at(), which computes the value of one of my nodes from those of its
// children.
template <class Own, class T>
class Walk {
 public:
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
      double* out =
          job_.out + outs * (held.start[board] - held.start[job_.first_board]) + int64_t(job_.first_entry) * hands;
      for (int node = 0; node < job_.out_nodes; ++node, out += hands)
        for (int h = 0; h < hands; ++h) out[h] = double(values[int64_t(node) * street.stride[me_] + h]);
    }
  }

 protected:
  explicit Walk(const Job& job) : job_(job), tree_(*job.tree), me_(job.player), other_(1 - job.player) {}

  const Job& job_;
  const Tree& tree_;
  const int me_, other_;

  static T* reach(void* const* buffers, int street) { return static_cast<T*>(buffers[street]); }

 private:
  Own& own() { return static_cast<Own&>(*this); }

  // Reads a player's reach at the entries of a board at which the walk starts.
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

  // Computes the values of all nodes of board b in scratch.values[s]; the entry slots of reach are already filled.
  void walk(const Scratch& scratch, int s, int b, bool parallel) {
    const Street& street = tree_.street[s];
    const Plan& plan = street.plan[me_];
    if (parallel && plan.num_sections && !job_.only_down()) return sections(scratch, s, b);
    down(scratch, s, b, plan.whole);
    if (job_.only_down()) {
      write_leaf_reach(scratch, s, b);
    } else {
      terminals(tree_, street, plan.whole, b, me_, scratch, reach(scratch.opponent, s), reach(scratch.values, s),
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
        if (!job_.only_down()) collect(scratch, s, b, sum);
      }
    }
    if (!job_.only_down()) up(scratch, s, b, plan.whole);
  }

  // Walks a street that is the whole tree: down to the subtrees that are tasks, then the tasks, then up from them.
  // Each thread works in memory of its own, because passing cache lines between cores takes long.
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
      if (self.own().needs_own()) copy(above.own, scratch.own, plan.own_slot[section.roots[i]], self.me_);
    }
    self.down(scratch, s, b, section);
    terminals(self.tree_, street, section, b, self.me_, scratch, reach(scratch.opponent, s), reach(scratch.values, s),
              self.job_.halves);
    self.up(scratch, s, b, section);
    for (int i = 0; thread != 0 && i < section.num_roots; ++i)
      copy(scratch.values, above.values, section.roots[i], self.me_);
  }

  static void clear(T* row, int n) { std::memset(row, 0, size_t(n) * sizeof(T)); }

  // Computes the reach at the nodes of a part of a board.
  void down(const Scratch& scratch, int s, int b, const Section& section) {
    const Plan& plan = tree_.street[s].plan[me_];
    down(s, b, section, other_, reach(scratch.opponent, s), plan.opponent_slot);
    if (own().needs_own()) down(s, b, section, me_, reach(scratch.own, s), plan.own_slot);
  }

  // Multiplies a player's reach through own decision nodes.
  APART void down(int s, int b, const Section& section, int player, T* vectors, const int32_t* slot) {
    const Street& street = tree_.street[s];
    const int stride = street.stride[player];
    for (int i = 0; i < section.num_decisions; ++i) {
      const int node = section.decisions[i];
      if (street.actor[node] != player) continue;
      own().descend_at(s, b, player, node, vectors + int64_t(slot[node]) * stride,
                       vectors + int64_t(slot[street.first_child[node]]) * stride);
    }
  }

  template <int W>
  static L<T, W>* lanes_of(void* const* buffers, int street) {
    return static_cast<L<T, W>*>(buffers[street]);
  }

  // Transposes the reach at the exits of board b to lanes, from which its children read.
  APART void leave(const Scratch& scratch, int s, int b) {
    const Street& street = tree_.street[s];
    for (int p = 0; p < 2; ++p) {
      if (p == me_ && !own().needs_own()) continue;
      const int32_t* slot = p == me_ ? street.plan[me_].own_slot : street.plan[me_].opponent_slot;
      const T* from = reach(p == me_ ? scratch.own : scratch.opponent, s);
      by_lanes<T>(street.exits, [&](auto width) {
        constexpr int W = width;
        to_lanes<T, W>(
            street.hands[p].count(b), vectors_for<W>(street.exits),
            [&](int x) {
              return x < street.exits ? from + int64_t(slot[street.exit_node[x]]) * street.stride[p]
                                      : static_cast<const T*>(scratch.zeros);
            },
            lanes_of<W>(p == me_ ? scratch.own_exits : scratch.opponent_exits, s));
      });
    }
  }

  // Computes the reach at the entries of board c from the exits of its parent.
  APART void enter(const Scratch& above, const Scratch& below, int s, int c) {
    const Street& street = tree_.street[s];
    const Street& next = tree_.street[s + 1];
    for (int p = 0; p < 2; ++p) {
      if (p == me_ && !own().needs_own()) continue;
      const int32_t* parent = next.hands[p].parent + next.hands[p].start[c];
      T* to = reach(p == me_ ? below.own : below.opponent, s + 1);
      by_lanes<T>(street.exits, [&](auto width) {
        constexpr int W = width;
        from_lanes<T, W>(
            next.hands[p].count(c), street.exits, [&](int h) { return parent[h]; },
            lanes_of<W>(p == me_ ? above.own_exits : above.opponent_exits, s),
            [&](int x) { return to + int64_t(x) * next.stride[p]; });
      });
    }
  }

  // Adds the values of board c's entries to the exits of its parent, which are lanes.
  APART void add_child(const Scratch& below, int s, int c, T* to) {
    by_lanes<T>(tree_.street[s].exits,
                [&](auto width) { add_lanes<width>(below, s, c, reinterpret_cast<L<T, width>*>(to)); });
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
        from[l] = m * W + l < street.exits ? values + int64_t(m * W + l) * next.stride[me_]
                                           : static_cast<const T*>(below.zeros);
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

  // Writes the sums of the children of board b as rows at its exits.
  void collect(const Scratch& scratch, int s, int b, const T* from) {
    const Street& street = tree_.street[s];
    T* values = reach(scratch.values, s);
    by_lanes<T>(street.exits, [&](auto width) {
      constexpr int W = width;
      from_lanes<T, W>(
          street.hands[me_].count(b), street.exits, [](int h) { return h; }, reinterpret_cast<const L<T, W>*>(from),
          [&](int x) { return values + int64_t(street.exit_node[x]) * street.stride[me_]; });
    });
  }

  // Returns the number of values in all lanes of the exits of a board of street s; both it and a stride are whole
  // vectors.
  int64_t exit_size(int s) const {
    int lanes = 0;
    by_lanes<T>(tree_.street[s].exits, [&](auto width) { lanes = vectors_for<width>(tree_.street[s].exits) * width; });
    return int64_t(tree_.street[s].stride[me_]) * lanes;
  }

  struct Parallel {
    Walk* walk;
    int street, board, chunk;
  };

  // Each chunk of children writes a buffer of its own, and the buffers are added in order, so that the result does not
  // depend on the number of threads.
  void children_in_parallel(const Scratch& scratch, int s, int b) {
    const Street& street = tree_.street[s];
    const int count = street.child_start[b + 1] - street.child_start[b];
    const int chunk = (count + CHUNKS - 1) / CHUNKS, chunks = (count + chunk - 1) / chunk;
    Parallel context{this, s, b, chunk};
    run_tasks(job_.team, chunks, &Walk::chunk_task, &context);
    if (job_.only_down()) return;
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

  // Walks some children of a board and adds up their values.
  void children(const Scratch& above, const Scratch& below, int s, int first, int last, T* sum) {
    if (!job_.only_down()) std::memset(sum, 0, size_t(exit_size(s)) * sizeof(T));
    for (int c = first; c < last; ++c) {
      enter(above, below, s, c);
      walk(below, s + 1, c, false);
      if (!job_.only_down()) add_child(below, s, c, sum);
    }
  }

  // Computes values from the children up; at my nodes this depends on the kind of walk.
  APART void up(const Scratch& scratch, int s, int b, const Section& section) {
    const Street& street = tree_.street[s];
    const int hands = street.hands[me_].count(b), stride = street.stride[me_];
    T* values = reach(scratch.values, s);
    for (int i = section.num_decisions - 1; i >= 0; --i) {
      const int node = section.decisions[i];
      const T* child = values + int64_t(street.first_child[node]) * stride;
      T* out = values + int64_t(node) * stride;
      if (street.actor[node] != me_) add_children<T>(street.num_children[node], hands, child, out, stride);
      else own().rise_at(scratch, s, b, node, child, out);
    }
  }

  // Returns the offset of the block [leaves, hands] of a board in the arrays of leaf values and leaf reach.
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
      if (p == me_ && !own().needs_own()) continue;
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

}  // namespace
}  // namespace ERRAI_ISA
}  // namespace errai
