// The walk in which hands share their strategies in buckets; see walk.hpp.

#include "bucket_rows.hpp"
#include "walk.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

template <class T>
class BucketWalk : public Walk<BucketWalk<T>, T> {
  using Base = Walk<BucketWalk<T>, T>;
  friend Base;
  using Base::job_, Base::me_, Base::other_, Base::reach, Base::tree_;

 public:
  explicit BucketWalk(const Job& job)
      : Base(job), tie_(job.tied ? T(job.tree->tie) : T(0)), room_(static_cast<T*>(job.scratch[0].rows)) {}

 private:
  const T tie_;
  T* const room_;  // for the rows of one node; a walk over buckets runs in one thread

  bool needs_own() const { return job_.tables->sums && !job_.tables->others_average; }

  // Returns the memory for a node's strategy over live buckets, which is followed by that for sums over them.
  static int bucket_stride(const Street& street) {
    return street.stride[0] > street.stride[1] ? street.stride[0] : street.stride[1];
  }

  BoardBuckets<T> buckets_of(int s, int b, int player) const {
    const Buckets& buckets = job_.tables->buckets[s * 2 + player];
    const Hands& hands = tree_.street[s].hands[player];
    const int64_t first = hands.start[b], live = buckets.live_start[b];
    const T* weight = static_cast<const T*>(buckets.weight);
    return {int(buckets.live_start[b + 1] - live), buckets.live + live, buckets.place + first,
            weight ? weight + first : nullptr, hands.count(b)};
  }

  // Returns the offset of a node's rows in a table.
  int64_t table_at(int s, int player, int node) const {
    return tree_.street[s].row[node] * job_.tables->buckets[s * 2 + player].count;
  }

  template <int A>
  void match_at(int s, int b, int player, int node, T* share) const {
    const Street& street = tree_.street[s];
    match_buckets<A>(static_cast<const T*>(job_.source[s * 2 + player]) + table_at(s, player, node),
                     job_.tables->buckets[s * 2 + player].count, buckets_of(s, b, player), street.num_children[node],
                     tie_, share, bucket_stride(street));
  }

  INLINED void descend_at(int s, int b, int player, int node, const T* from, T* to) const {
    by_actions(tree_.street[s].num_children[node],
               [&](auto known) { descend_known<known>(s, b, player, node, from, to); });
  }

  template <int A>
  void descend_known(int s, int b, int player, int node, const T* from, T* to) const {
    const Street& street = tree_.street[s];
    const BucketTables& tables = *job_.tables;
    const int actions = street.num_children[node], stride = street.stride[player];
    if (player == other_ && tables.given && tables.given[s * 2 + player]) {
      const int hands = street.hands[player].count(b);
      const PlainRows<T, uint16_t> rows{
          tables.given[s * 2 + player] + street.block(player, b) + int64_t(street.row[node]) * hands, hands};
      return descend<A>(rows, actions, T(0), from, to, stride);
    }
    T* share = room_;
    const int width = bucket_stride(street);
    const BoardBuckets<T> board = buckets_of(s, b, player);
    match_at<A>(s, b, player, node, share);
    descend_buckets<A>(share, width, board, actions, from, to, stride);
    if (player == other_ && !job_.only_down() && tables.sums && tables.others_average) {
      average_buckets<A>(share, width, board, actions, from,
                         static_cast<T*>(tables.sums[s * 2 + player]) + table_at(s, player, node),
                         tables.buckets[s * 2 + player].count, T(tables.sum_weight), share + int64_t(actions) * width);
    }
  }

  INLINED void rise_at(const Scratch& scratch, int s, int b, int node, const T* child, T* out) const {
    const Street& street = tree_.street[s];
    const int actions = street.num_children[node], hands = street.hands[me_].count(b);
    if (job_.roles[s] == Role::BEST) {
      uint16_t* const* choices = job_.tables->choices;
      choose_best<T>(
          actions, hands, child, out, street.stride[me_],
          choices ? choices[s * 2 + me_] + street.block(me_, b) + int64_t(street.row[node]) * hands : nullptr);
    } else {
      by_actions(actions, [&](auto known) { rise_known<known>(scratch, s, b, node, child, out); });
    }
  }

  template <int A>
  void rise_known(const Scratch& scratch, int s, int b, int node, const T* child, T* out) const {
    const Street& street = tree_.street[s];
    const BucketTables& tables = *job_.tables;
    const int actions = street.num_children[node], stride = street.stride[me_], width = bucket_stride(street);
    T* share = room_;
    T* room = share + int64_t(actions) * width;
    const BoardBuckets<T> board = buckets_of(s, b, me_);
    match_at<A>(s, b, me_, node, share);
    mix_buckets<A>(share, width, board, actions, child, out, stride);
    if (!tables.regrets || job_.roles[s] != Role::LEARNS) return;
    const int64_t at = table_at(s, me_, node), columns = tables.buckets[s * 2 + me_].count;
    learn_buckets<A>(share, width, board, actions, child, stride, static_cast<T*>(tables.regrets[s * 2 + me_]) + at,
                     columns, T(tables.regret_weight), tables.floor, room);
    if (needs_own()) {
      const T* own = reach(scratch.own, s) + int64_t(street.plan[me_].own_slot[node]) * stride;
      average_buckets<A>(share, width, board, actions, own, static_cast<T*>(tables.sums[s * 2 + me_]) + at, columns,
                         T(tables.sum_weight), room);
    }
  }
};

}  // namespace

void run_over_buckets(const Job& job) {
  const FlushToZero flush;
  job.value_type == Type::FLOAT64 ? BucketWalk<double>(job).run() : BucketWalk<float>(job).run();
}

}  // namespace ERRAI_ISA
}  // namespace errai
