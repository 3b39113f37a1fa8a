// What follows from classes of several hands, board by board.
#pragma once

#include <memory>
#include <vector>

#include "tree.hpp"

namespace errai {

// Hands that play alike are one class, and so cards are alike which the same classes hold equally often: they share a
// sum over the hands that hold a card.  A class is then added in one step, whatever the number of its hands.
class Merges {
 public:
  // Finds the sums of all boards of a street and lets its hands point to them.  Throws std::invalid_argument where hands
  // of one class do not play alike.
  void lay(Street& street, int hole_cards, int num_cards);

 private:
  struct Player {
    std::vector<uint8_t> sums;
    std::unique_ptr<Merged[]> merged;
    std::unique_ptr<uint16_t[]> place;
    size_t room = 0;
  };

  void find_sums(Street& street, int player, int board, int hole_cards);

  Player players_[2];
  std::vector<std::vector<int32_t>> holders_;  // by card: the classes that hold it, once for each hand
  std::vector<int> sum_;                       // by card
  std::vector<int> first_;                     // by sum, the first card
};

}  // namespace errai
