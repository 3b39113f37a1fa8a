// What terminal nodes need to know of the hands on each board, found once.
#pragma once

#include <memory>
#include <vector>

#include "tree.hpp"

namespace errai {

// Of the boards of one street, for both players.
//
// Ties: in which order the hands of both meet by strength, so that nothing has to be compared later.
//
// Sums: hands that play alike are one class, and so cards are alike which the same classes hold equally often: they share
// a sum over the hands that hold a card. A class is then added in one step, whatever the number of its hands.
class Boards {
 public:
  // Finds both for all boards of a street and lets its hands point to them; ties only where there are showdowns.  Throws
  // std::invalid_argument where hands of one class do not play alike.
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

  void find_ties(Street& street, int player);
  void find_sums(Street& street, int player, int board, int hole_cards);

  Player players_[2];
  std::vector<std::vector<int32_t>> holders_;  // by card: the classes that hold it, once for each hand
  std::vector<int> sum_;                       // by card
  std::vector<int> first_;                     // by sum, the first card
};

}  // namespace errai
