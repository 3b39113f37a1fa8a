#include "boards.hpp"

#include <algorithm>
#include <stdexcept>

namespace errai {

void Boards::lay(Street& street, int hole_cards, int num_cards) {
  const bool shows = std::find(street.kind, street.kind + street.nodes, SHOWDOWN) != street.kind + street.nodes;
  if (shows) find_ties(street);
  holders_.resize(size_t(num_cards));
  sum_.resize(size_t(num_cards));
  for (int p = 0; p < 2; ++p) {
    Hands& hands = street.hands[p];
    Player& player = players_[p];
    player.sums.assign(size_t(street.boards), 0);
    for (int b = 0; b < street.boards; ++b)
      player.sums[size_t(b)] =
          hands.member_start[hands.start[b + 1]] - hands.member_start[hands.start[b]] != hands.count(b);
    hands.sums = player.sums.data();
  }
  const bool any = std::any_of(players_, players_ + 2, [](const Player& player) {
    return std::any_of(player.sums.begin(), player.sums.end(), [](uint8_t some) { return some != 0; });
  });
  for (int p = 0; any && p < 2; ++p) {
    Hands& hands = street.hands[p];
    Player& player = players_[p];
    const size_t classes = size_t(hands.start[street.boards]);
    if (player.room < classes) {  // The memory is not initialised, so boards without merged hands touch none of it.
      player.merged.reset(new Merged[classes]);
      player.place.reset(new uint16_t[classes * size_t(hole_cards)]);
      player.room = classes;
    }
    hands.merged = player.merged.get();
    hands.place = player.place.get();
  }
  for (int p = 0; any && p < 2; ++p)
    for (int b = 0; b < street.boards; ++b)
      if (players_[p].sums[size_t(b)]) find_sums(street, p, b, hole_cards);
}

void Boards::find_ties(Street& street) {
  for (int p = 0; p < 2; ++p) {
    players_[p].ties.clear();
    players_[p].ties.reserve(
        size_t(street.hands[p].start[street.boards]));  // more than there are; the rest is not touched
    players_[p].tie_start.assign(1, 0);
  }
  for (int b = 0; b < street.boards; ++b) {
    const int32_t *at[2], *end[2];
    for (int p = 0; p < 2; ++p) {
      at[p] = street.hands[p].rank + street.hands[p].start[b];
      end[p] = street.hands[p].rank + street.hands[p].start[b + 1];
    }
    int weaker[2] = {0, 0};  // by player: the opponent's hands since the player's last tie
    while (at[0] < end[0] || at[1] < end[1]) {
      const bool first = at[1] == end[1] || (at[0] < end[0] && *at[0] < *at[1]);
      const int32_t rank = *at[first ? 0 : 1];
      int equal[2];
      for (int p = 0; p < 2; ++p) {
        const int32_t* const from = at[p];
        while (at[p] < end[p] && *at[p] == rank) ++at[p];
        equal[p] = int(at[p] - from);
      }
      for (int p = 0; p < 2; ++p) {
        if (equal[p]) players_[p].ties.push_back(Tie{uint16_t(weaker[p]), uint16_t(equal[p]), uint16_t(equal[1 - p])});
        weaker[p] = equal[p] ? 0 : weaker[p] + equal[1 - p];
      }
    }
    for (Player& player : players_) player.tie_start.push_back(int64_t(player.ties.size()));
  }
  for (int p = 0; p < 2; ++p) {
    street.hands[p].tie_start = players_[p].tie_start.data();
    street.hands[p].ties = players_[p].ties.data();
  }
}

void Boards::find_sums(Street& street, int player, int board, int hole_cards) {
  const Hands& hands = street.hands[player];
  const int64_t first_class = hands.start[board], last_class = hands.start[board + 1];
  for (auto& classes : holders_) classes.clear();
  for (int64_t i = first_class; i < last_class; ++i)
    for (int64_t at = hands.member_start[i] * hole_cards; at < hands.member_start[i + 1] * hole_cards; ++at)
      holders_[hands.member_cards[at]].push_back(int32_t(i - first_class));
  first_.clear();
  for (size_t card = 0; card < holders_.size(); ++card) {
    const auto same = [&](int other) { return holders_[size_t(other)] == holders_[card]; };
    const auto found = std::find_if(first_.begin(), first_.end(), same);
    sum_[card] = int(found - first_.begin());
    if (found == first_.end()) first_.push_back(int(card));
  }
  players_[player].sums[size_t(board)] = uint8_t(first_.size());

  for (int64_t i = first_class; i < last_class; ++i) {
    Merged merged{{0, 0}, {0.0f, 0.0f}, float(hands.member_start[i + 1] - hands.member_start[i])};
    int found = 0, at[2] = {-1, -1};
    for (int64_t m = hands.member_start[i] * hole_cards; m < hands.member_start[i + 1] * hole_cards; ++m) {
      const int card = hands.member_cards[m], sum = sum_[size_t(card)];
      int which = 0;
      while (which < found && at[which] != sum) ++which;
      if (which == hole_cards) throw std::invalid_argument("a class has hands that are not equivalent");
      if (which == found) at[found++] = sum;
      merged.place[which] = uint16_t(sum * PLACE);
      merged.count[which] += card == first_[size_t(sum)] ? 1.0f : 0.0f;
    }
    players_[player].merged[size_t(i)] = merged;
  }

  const Hands& others = street.hands[1 - player];
  for (int64_t at = others.start[board] * hole_cards; at < others.start[board + 1] * hole_cards; ++at)
    players_[1 - player].place[size_t(at)] = uint16_t(sum_[others.cards[at]] * PLACE);
}

}  // namespace errai
