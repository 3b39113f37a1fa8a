// Perfect indexing of deals up to a renaming of suits.
//
// A deal is a sequence of disjoint sets of cards, one per round.  For one suit it is a sequence of disjoint sets of
// ranks.  Their sizes are the suit's shape, and the suit has a number among all suits of one shape.  A deal up to a
// renaming of suits is the multiset of its suits' (shape, number) pairs.  The sorted shapes are the configuration of
// the deal.  Within a configuration, every group of suits of equal shape contributes the number of a multiset, and
// configurations follow each other without gaps.
//
// The method is Waugh's, "A fast and optimal hand isomorphism algorithm" (AAAI workshop on computer poker, 2013).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "strength.hpp"

namespace errai::cards {

class Indexer {
 public:
  // The caller has checked that all sizes are below 2^58, so that no product here overflows.
  Indexer(int num_ranks, int num_suits, std::vector<int> cards_per_round);

  int64_t size(int round) const { return rounds_[round].offsets.back(); }
  int num_cards() const { return num_ranks_ * num_suits_; }

  // Returns the index of the cards dealt up to a round, or -1 if they are not different cards of the deck.
  template <class T>
  int64_t index(int round, const T* cards) const;

  // Writes the representative of an index; cards ascend within each round.
  void unindex(int round, int64_t index, int16_t* cards) const;

 private:
  // Suits in descending order of their shapes.
  struct Configuration {
    std::array<int64_t, kMaxSuits> stride{};  // added to the index for each step in the number of its group
    std::array<int16_t, kMaxSuits> shape{};
    std::array<uint8_t, kMaxSuits> place{};  // 1 for the last suit of a group, 2 for the one before, ...
  };

  struct Round {
    int num_shapes = 0;
    std::vector<int64_t> suit_sizes;  // by shape: the number of suits with this shape
    std::vector<Configuration> configurations;
    std::vector<int64_t> offsets;        // by configuration, and the total
    std::vector<int32_t> configuration;  // by all shapes but the last, which follows from them
  };

  void build(int round);
  void enumerate(int round, int suit, std::array<int16_t, kMaxSuits>& shapes, std::vector<int>& left);
  std::vector<int> counts(int round, int shape) const;

  int num_ranks_, num_suits_;
  std::array<uint8_t, kMaxCards> suit_of_{}, rank_of_{};
  std::vector<int> per_round_;
  std::vector<int> radix_;  // shape = sum of radix_[round] * cards of the suit in that round
  std::vector<Round> rounds_;
};

}  // namespace errai::cards
