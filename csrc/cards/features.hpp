// Hand strength of all hands on a final board at once, and its sums over many final boards.
//
// On one board the hands are sorted by strength.  Let W(h) be the number of weaker hands that share no card with h, and
// V(h) the same with the hands of equal strength included.  Then a hand wins against W hands and ties with V - W, so
// its hand strength is (W + V) / 2 divided by the number of hands that it may meet.  All sums are integers, so results
// depend neither on the number of threads nor on the names of the suits.
#pragma once

#include <cstdint>
#include <vector>

#include "strength.hpp"

namespace errai::cards {

constexpr int kMaxHands = kMaxCards * (kMaxCards - 1) / 2;
constexpr int kLanes = 8;  // clusters of opponents

typedef uint16_t Lanes16 __attribute__((vector_size(16)));
typedef uint32_t Lanes32 __attribute__((vector_size(32)));

// All hands of a deck; one or two cards each.
struct Hands {
  int count = 0, cards_each = 0;
  std::vector<uint64_t> word;
  std::vector<uint8_t> first, second;  // both are the same if hands have one card
};

// The hands that a board does not block, in order of strength.
class Showdown {
 public:
  explicit Showdown(const Hands& hands) : hands_(hands) {}

  void sort(uint64_t board, bool three_card);

  // Calls add(hand, W + V) for every hand.
  template <class Add>
  void strengths(Add add) const;

  // Does the same against each cluster of opponents: add(hand, W + V, twice the number of opponents).
  template <class Add>
  void against(const int8_t* cluster, Add add) const;

 private:
  const Hands& hands_;
  int live_ = 0;
  uint64_t sorted_[kMaxHands], other_[kMaxHands];  // strength above bit 32, hand below
};

}  // namespace errai::cards
