// The hands on the boards of a deal tree: classes of equivalent hands, in order, and what leads from a class to the one
// above it.  errai/tree/deal_tree.py says what the arrays mean; tests/support/plain_deal.py computes them plainly.
#include <algorithm>
#include <utility>
#include <vector>

#include "module.hpp"
#include "parallel.hpp"
#include "strength.hpp"

namespace nb = nanobind;

namespace errai::cards {
namespace {

constexpr size_t kBoardsAtOnce = 16;

// A class of equivalent hands on all boards that merge hands in the same way.
struct Class {
  uint64_t word;         // cards of the representative
  int32_t hand;          // the representative
  int32_t first, count;  // its members, in the list of the grouping
  bool held[2];          // whether it belongs to each player's range
};

struct Grouping {
  std::vector<Class> classes;
  std::vector<int32_t> members;
};

// One player's lists on a street, as DealHands has them.
struct Lists {
  int64_t *start, *member_start;
  int32_t *hand, *parent, *rank, *twin, *member;
  double* up_weight;

  explicit Lists(nb::handle owner)
      : start(data<int64_t>(owner, "start")), member_start(data<int64_t>(owner, "member_start")),
        hand(data<int32_t>(owner, "hand")), parent(data<int32_t>(owner, "parent")), rank(data<int32_t>(owner, "rank")),
        twin(data<int32_t>(owner, "twin")), member(data<int32_t>(owner, "member")),
        up_weight(data<double>(owner, "up_weight")) {}

 private:
  template <class T>
  static T* data(nb::handle owner, const char* name) {
    return nb::cast<Output<T, 1>>(owner.attr(name), false).data();  // an array of another type would be copied
  }
};

class HandLists {
 public:
  // Takes for each way to merge hands (a grouping) the first hand that every hand is merged with, [G, H], or -1 for
  // hands that no board of the grouping leaves; the live hands of each player, [P, H]; the cards of every hand, [H, k];
  // and all hands in the order in which classes are listed, [H], before strength.
  HandLists(Input<int32_t, 2> keys, Input<bool, 2> live, Input<int16_t, 2> hands, Input<int64_t, 1> order,
            int num_ranks, int num_suits)
      : words_(card_words(num_ranks, num_suits)), players_(live.shape(0)), num_hands_(hands.shape(0)) {
    const size_t each = hands.shape(1);
    const bool* const held[2] = {live.data(), live.data() + (players_ - 1) * num_hands_};
    std::vector<int32_t> count(num_hands_), next(num_hands_);
    for (size_t g = 0; g < keys.shape(0); ++g) {
      const int32_t* const key = keys.data() + g * num_hands_;
      Grouping grouping;
      std::fill(count.begin(), count.end(), 0);
      int32_t members = 0;
      for (size_t h = 0; h < num_hands_; ++h)
        if (key[h] >= 0 && (held[0][h] || held[1][h])) ++count[size_t(key[h])], ++members;
      grouping.members.resize(size_t(members));
      int32_t first = 0;
      for (size_t i = 0; i < num_hands_; ++i) {
        const size_t h = size_t(order.data()[i]);
        if (!count[h]) continue;
        uint64_t word = 0;
        for (size_t c = 0; c < each; ++c) word += words_[size_t(hands.data()[h * each + c])];
        grouping.classes.push_back(Class{word, int32_t(h), first, count[h], {held[0][h], held[1][h]}});
        next[h] = first;
        first += count[h];
      }
      for (size_t h = 0; h < num_hands_; ++h)
        if (key[h] >= 0 && (held[0][h] || held[1][h])) grouping.members[size_t(next[size_t(key[h])]++)] = int32_t(h);
      groupings_.push_back(std::move(grouping));
    }
  }

  // Counts the classes and the hands of each player on the boards from `first_board` to `last_board` - 1, in [P, 2, B].
  void count(size_t first_board, size_t last_board, Input<int64_t, 2> boards, Input<int32_t, 1> grouping, int threads,
             Output<int64_t, 3> counts) const {
    nb::gil_scoped_release release;
    const size_t all = boards.shape(0);
    in_parallel(last_board - first_board, kBoardsAtOnce, threads, [&] {
      return [&](size_t from, size_t to) {
        for (size_t b = first_board + from; b < first_board + to; ++b) {
          const uint64_t taken = word_of(boards, b) & kRankBits;
          int64_t classes[2] = {}, members[2] = {};
          for (const Class& found : groupings_[size_t(grouping.data()[b])].classes)
            for (size_t p = 0; p < 2; ++p) {
              const bool here = !(found.word & taken) && found.held[p];
              classes[p] += here;
              members[p] += here ? found.count : 0;
            }
          for (size_t p = 0; p < players_; ++p) {
            counts.data()[2 * p * all + b] = classes[p];
            counts.data()[(2 * p + 1) * all + b] = members[p];
          }
        }
      };
    });
  }

  // Fills the lists of some boards, of which the arrays `start` and the numbers
  // `members` of hands before each board, [P, B + 1], are known.  `above` has the lists of the street before, or none.
  void list(size_t first_board, size_t last_board, Input<int64_t, 2> boards, Input<int32_t, 1> grouping,
            Input<int64_t, 1> parents, Input<int64_t, 1> orbits, double chance, bool by_strength, bool three_card,
            Input<int64_t, 2> members, nb::list above, nb::list out, int threads) const {
    const std::vector<Lists> over(above.begin(), above.end()), into(out.begin(), out.end());
    nb::gil_scoped_release release;
    in_parallel(last_board - first_board, kBoardsAtOnce, threads, [&] {
      return [&, parent = int64_t(-1), room = std::vector<uint64_t>(2 * num_hands_),
              places = std::vector<int32_t>(players_ * num_hands_)](size_t from, size_t to) mutable {
        uint64_t* const found = room.data();
        for (size_t b = first_board + from; b < first_board + to; ++b) {
          if (!over.empty() && parents.data()[b] != parent) {
            parent = parents.data()[b];
            for (size_t p = 0; p < players_; ++p) place_members(over[p], parent, places.data() + p * num_hands_);
          }
          const uint64_t board = word_of(boards, b), taken = board & kRankBits;
          const Grouping& groups = groupings_[size_t(grouping.data()[b])];
          int count = 0;
          for (const Class& here : groups.classes) {
            if (here.word & taken) continue;
            const uint64_t word = board + here.word;
            const auto number = static_cast<uint32_t>(&here - groups.classes.data());
            const int32_t strength = !by_strength ? 0
                                     : three_card ? three_card_strength(word)
                                                  : standard_strength(word);
            found[count++] = static_cast<uint64_t>(strength) << 32 | number;
          }
          if (by_strength) sort_by_strength(found, found + num_hands_, count);
          int64_t at[2], first[2], member[2];
          for (size_t p = 0; p < players_; ++p) {
            at[p] = first[p] = into[p].start[b];
            member[p] = members.data()[p * (boards.shape(0) + 1) + b];
          }
          for (int i = 0; i < count; ++i) {
            const Class& here = groups.classes[static_cast<uint32_t>(found[i])];
            const int64_t other[2] = {here.held[1] ? at[players_ - 1] - first[players_ - 1] : -1,
                                      here.held[0] ? at[0] - first[0] : -1};
            for (size_t p = 0; p < players_; ++p) {
              if (!here.held[p]) continue;
              const Lists& lists = into[p];
              const int64_t to_class = at[p]++;
              lists.hand[to_class] = here.hand;
              lists.rank[to_class] = static_cast<int32_t>(found[i] >> 32);
              lists.twin[to_class] = static_cast<int32_t>(other[p]);
              lists.parent[to_class] = 0;
              lists.up_weight[to_class] = 1.0;
              if (!over.empty()) {
                const int32_t place = places[p * num_hands_ + static_cast<size_t>(here.hand)];
                const int64_t* const size = over[p].member_start + over[p].start[parent] + place;
                lists.parent[to_class] = place;
                lists.up_weight[to_class] = double(orbits.data()[b] * here.count) / double(size[1] - size[0]) * chance;
              }
              lists.member_start[to_class] = member[p];
              for (int32_t m = 0; m < here.count; ++m)
                lists.member[member[p]++] = groups.members[size_t(here.first + m)];
            }
          }
        }
      };
    });
  }

 private:
  uint64_t word_of(const Input<int64_t, 2>& boards, size_t b) const {
    uint64_t word = 0;
    for (size_t i = 0; i < boards.shape(1); ++i) word += words_[size_t(boards.data()[b * boards.shape(1) + i])];
    return word;
  }

  // Notes for every hand of a player the class that contains it on a board.
  static void place_members(const Lists& lists, int64_t board, int32_t* places) {
    const int64_t first = lists.start[board];
    for (int64_t i = first; i < lists.start[board + 1]; ++i)
      for (int64_t m = lists.member_start[i]; m < lists.member_start[i + 1]; ++m)
        places[lists.member[m]] = int32_t(i - first);
  }

  std::array<uint64_t, kMaxCards> words_;
  size_t players_, num_hands_;
  std::vector<Grouping> groupings_;
};

}  // namespace

void bind_classes(nb::module_& module) {
  nb::class_<HandLists>(module, "HandLists")
      .def(nb::init<Input<int32_t, 2>, Input<bool, 2>, Input<int16_t, 2>, Input<int64_t, 1>, int, int>())
      .def("count", &HandLists::count)
      .def("list", &HandLists::list);
}

}  // namespace errai::cards
