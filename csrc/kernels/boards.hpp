// Data about the hands on each board that terminal nodes need, computed once.
#pragma once

#include <memory>
#include <vector>

#include "tree.hpp"

namespace errai {

// Covers the boards of one street, for both players.
//
// Ties list in which order both players' hands follow each other by strength, so that walks need no comparisons.
//
// Sums: equivalent hands are one class, and cards that equally many hands of each class contain can share one sum over
// the hands with a card.  A class is then added in one step, whatever the number of its hands.
class Boards {
 public:
  // Computes both for all boards of a street and lets its hands point to them; ties only if there are showdowns.
  // Throws std::invalid_argument if hands of one class are not equivalent.
  void lay(Street& street, int hole_cards, int num_cards);

 private:
  struct Player {
    std::vector<int64_t> tie_start;
    std::vector<Tie> ties;
    std::vector<uint8_t> sums;
    std::unique_ptr<Merged[]> merged;
    std::unique_ptr<uint16_t[]> place;
    size_t room = 0;
  };

  void find_ties(Street& street);
  void find_sums(Street& street, int player, int board, int hole_cards);

  Player players_[2];
  std::vector<std::vector<int32_t>> holders_;  // by card: the classes of the hands that contain it, once per hand
  std::vector<int> sum_;                       // by card
  std::vector<int> first_;                     // by sum: the first card
};

}  // namespace errai
