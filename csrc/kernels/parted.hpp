// A tree in parts: a trunk that ends at the exits of a street, and below it parts of some lines each.  No two parts share
// a row of any table, so threads may learn in the same tables at once, and what comes out does not depend on their
// number; and a part's working memory stays in a core's own cache.  Walks over buckets are made this way.
#pragma once

#include "engine.hpp"

namespace errai {

class PartedEngine {
 public:
  // `trunk` is the streets before `cut` with leaves for exits; without parts it is all of the tree.  Every part begins
  // with the street before the cut, on which it has nothing but some of the trunk's exits, in their order: its entries.
  PartedEngine(std::vector<Street> trunk, std::vector<std::vector<Street>> parts, int cut, int hole_cards, int num_cards,
               int threads);
  PartedEngine(const PartedEngine&) = delete;
  PartedEngine& operator=(const PartedEngine&) = delete;

  // Other boards, by street of the whole tree.
  void deal(const std::vector<Dealt>& streets);

  // One walk for one player; `tables` says what is read and learnt.  `reach` is what both bring to the root, `out` takes
  // its values; `roles` are the player's, by street.  `prune` leaves out parts that the other player does not reach with any hand.
  void walk(int player, const Role* roles, Type type, const std::vector<const void*>& source, const BucketTables& tables, double tie,
            bool prune, const double* reach0, const double* reach1, double* out);

  int64_t pruned() const { return pruned_; }  // parts left out so far

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
  std::vector<int32_t> childless_;  // the boards below those of the trunk's last street, to the trunk: none
  std::vector<uint8_t> skipped_;    // by part
  int64_t pruned_ = 0;
};

}  // namespace errai
