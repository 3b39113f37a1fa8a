// The walk in which every hand has a strategy of its own; see walk.hpp.

#include "walk.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

template <class T, class Source>
class HandWalk : public Walk<HandWalk<T, Source>, T> {
  using Base = Walk<HandWalk<T, Source>, T>;
  friend Base;
  using Base::job_, Base::me_, Base::reach, Base::tree_;

 public:
  explicit HandWalk(const Job& job)
      : Base(job), tie_(std::is_same_v<Source, int16_t> || !job.tied ? T(0) : T(job.tree->tie)),
        scales_(job.coefficients) {}

 private:
  const T tie_;
  const Scales<T> scales_;
  static constexpr float REGRET_STEPS = 32767.0f;
  static constexpr bool IN_STEPS = std::is_same_v<Source, int16_t> && std::is_same_v<T, float>;

  // Returns whether this iteration enters the average at all.
  bool averages() const { return IN_STEPS ? scales_.share != 0 : scales_.weight != 0 || scales_.average != 1; }
  bool needs_own() const { return job_.only_down() || (job_.regrets && job_.weighted && averages()); }

  // Returns the rows that the strategy of a node follows from on a board.
  auto rows_of(int s, int b, int player, int node) const {
    const Street& street = tree_.street[s];
    const int hands = street.hands[player].count(b), row = street.row[node];
    const int64_t at = street.block(player, b) + int64_t(row) * hands;
    if constexpr (IN_STEPS) {
      // Regrets are learnt, so these rows are not only read; a job that updates has arrays that it may write to.
      return FixedRows{const_cast<int16_t*>(static_cast<const int16_t*>(job_.source[s * 2 + player])) + at, hands};
    } else {
      return PlainRows<T, Source>{static_cast<const Source*>(job_.source[s * 2 + player]) + at, hands};
    }
  }

  // Returns the roles of the hands of a node on a board where some are locked; all others have the role of the street.
  NodeRoles roles_of_node(int s, int b, int player, int node, Role others) const {
    const Street& street = tree_.street[s];
    const Locks& locks = street.locks[player];
    NodeRoles roles{others, nullptr, nullptr};
    if (!locks.at) return roles;
    const int32_t lock = locks.at[int64_t(b) * street.decisions[player] + street.decision[node]];
    if (lock >= 0)
      roles.role = locks.role + locks.role_start[lock], roles.strategy = locks.strategy + locks.strategy_start[lock];
    return roles;
  }

  // Calls body(rows, actions known at compile time), with roles at nodes where some hands have different ones.
  template <class Body>
  INLINED void with_rows(int s, int b, int player, int node, const NodeRoles& roles, bool apart, Body&& body) const {
    const auto rows = rows_of(s, b, player, node);
    if (apart) body(RoleRows<std::remove_const_t<decltype(rows)>>{rows, roles}, Const<0>{});
    else by_actions(tree_.street[s].num_children[node], [&](auto known) { body(rows, known); });
  }

  // Multiplies a player's reach through an own decision node.
  INLINED void descend_at(int s, int b, int player, int node, const T* from, T* to) const {
    const Street& street = tree_.street[s];
    const NodeRoles roles = roles_of_node(s, b, player, node, Role::LEARNS);
    with_rows(s, b, player, node, roles, roles.role, [&](const auto& rows, auto known) {
      descend<known>(rows, street.num_children[node], tie_, from, to, street.stride[player]);
    });
  }

  // At my nodes: mixes, responds best, or mixes and learns.
  INLINED void rise_at(const Scratch& scratch, int s, int b, int node, const T* child, T* out) const {
    const Street& street = tree_.street[s];
    const int actions = street.num_children[node], stride = street.stride[me_];
    const NodeRoles roles = roles_of_node(s, b, me_, node, job_.roles[s]);
    if (job_.regrets && roles.others != Role::FIXED) {
      learn_at(scratch, s, b, node, roles, child, out);
    } else if (roles.role) {
      const auto rows = rows_of(s, b, me_, node);
      value_by_roles<T>(RoleRows<std::remove_const_t<decltype(rows)>>{rows, roles}, actions, tie_, child, out, stride);
    } else if (roles.others == Role::BEST) {
      best_child<T>(actions, street.hands[me_].count(b), child, out, stride);
    } else {
      by_actions(actions,
                 [&](auto known) { mix_children<known>(rows_of(s, b, me_, node), actions, tie_, child, out, stride); });
    }
  }

  void learn_at(const Scratch& scratch, int s, int b, int node, const NodeRoles& roles, const T* child, T* out) const {
    const Street& street = tree_.street[s];
    const int stride = street.stride[me_], actions = street.num_children[node];
    with_rows(s, b, me_, node, roles, roles.role || roles.others == Role::BEST, [&](const auto& rows, auto known) {
      const int64_t at = street.block(me_, b) + int64_t(street.row[node]) * rows.hands;
      if constexpr (IN_STEPS) {
        float& step = job_.scales[s * 2 + me_][int64_t(b) * street.decisions[me_] + street.decision[node]];
        float* room = static_cast<float*>(scratch.rows);
        const auto learnt = [&](auto* sums) INLINED {
          auto* const averaged = averages() ? sums + at : nullptr;
          return learn_fixed<known>(rows, step, actions, child, out, stride, averaged, room, scales_);
        };
        void* const sums = job_.sums[s * 2 + me_];
        const float top =
            job_.sums_type == Type::UINT8 ? learnt(static_cast<uint8_t*>(sums)) : learnt(static_cast<uint16_t*>(sums));
        const bool any = top > float(tree_.tie);
        step = any ? top * (1.0f / REGRET_STEPS) : 0.0f;
        settle(rows, actions, stride, room, any ? REGRET_STEPS / top : 0.0f);
      } else if constexpr (std::is_same_v<T, Source>) {
        const auto array = [&](void* const* arrays) {
          return arrays ? static_cast<T*>(arrays[s * 2 + me_]) + at : nullptr;
        };
        const T* own = reach(scratch.own, s) + int64_t(street.plan[me_].own_slot[node]) * stride;
        learn<known>(rows, actions, tie_, child, out, stride, array(job_.regrets),
                     averages() ? array(job_.sums) : nullptr, array(job_.predicted), needs_own() ? own : nullptr,
                     scales_);
      }
    });
  }
};

}  // namespace

void run(const Job& job) {
  const FlushToZero flush;
  const bool wide = job.value_type == Type::FLOAT64;
  switch (job.source_type) {
    case Type::FLOAT32: return wide ? HandWalk<double, float>(job).run() : HandWalk<float, float>(job).run();
    case Type::UINT8: return wide ? HandWalk<double, uint8_t>(job).run() : HandWalk<float, uint8_t>(job).run();
    case Type::UINT16: return wide ? HandWalk<double, uint16_t>(job).run() : HandWalk<float, uint16_t>(job).run();
    case Type::INT16: return wide ? HandWalk<double, int16_t>(job).run() : HandWalk<float, int16_t>(job).run();
    case Type::FLOAT64: return HandWalk<double, double>(job).run();
  }
}

}  // namespace ERRAI_ISA
}  // namespace errai
