// A tree in parts: a trunk that ends at the exits of a street, and below it parts with some lines each.  No two parts
// share a row of any table, so threads can learn in the same tables at once, and the result does not depend on their
// number.  A part's working memory stays in one core's own cache.  Walks over buckets work this way.
#pragma once

#include "engine.hpp"

namespace errai {

class PartedEngine {
 public:
  // `trunk` has the streets before `cut`, with leaves in place of exits; without parts it is the whole tree.  Every
  // part begins with the street before the cut, which has only some of the trunk's exits, in their order, as the part's
  // entries.
  PartedEngine(std::vector<Street> trunk, std::vector<std::vector<Street>> parts, int cut, int hole_cards,
               int num_cards, int threads);
  PartedEngine(const PartedEngine&) = delete;
  PartedEngine& operator=(const PartedEngine&) = delete;

  // Replaces the boards, by street of the whole tree.
  void deal(const std::vector<Dealt>& streets);

  // Runs one walk for one player.  `tables` says what is read and learnt; `reach` is both players' reach at the root,
  // and `out` receives the player's values there.  `roles` has the player's role on each street.  `prune` skips parts
  // that the other player reaches with no hand.
  void walk(int player, const Role* roles, Type type, const std::vector<const void*>& source,
            const BucketTables& tables, double tie, bool prune, const double* reach0, const double* reach1,
            double* out);

  int64_t pruned() const { return pruned_; }  // number of parts skipped so far

 private:
  struct Task;
  static void part_task(void* context, int task, int thread);
  void reserve(size_t bytes);
  int edge() const { return cut_ - 1; }

  std::vector<std::unique_ptr<Engine>> engines_;  // the trunk first
  std::vector<int> first_entry_;                  // of each part
  int cut_;
  std::unique_ptr<Team> team_;
  int threads_;
  Engine::Room room_{{}, 0, 0, 0};
  size_t room_bytes_ = 0;
  std::vector<Engine::ThreadMemory> memory_;
  std::vector<Scratch> scratch_;
  std::vector<std::vector<double>> leaf_reach_[2], leaf_values_;  // by street of the trunk
  std::vector<int32_t> childless_;                                // child ranges of the trunk's last street, all empty
  std::vector<uint8_t> skipped_;                                  // by part
  int64_t pruned_ = 0;
};

}  // namespace errai
