// Vectorised evaluation of arrays that Python owns.  The caller has checked shapes; card numbers are checked here,
// because checking them while reading costs next to nothing.
#include "strength.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../kernels/processor.hpp"
#include "module.hpp"

namespace nb = nanobind;

namespace errai::cards {
namespace {

constexpr uint64_t kBad = ~0ULL;

// Returns the word of `n` cards, or kBad if a card is out of range or repeated.
template <class T>
inline uint64_t gather(const T* cards, size_t n, const uint64_t* words, uint64_t num_cards) {
  uint64_t word = 0, repeated = 0;
  for (size_t i = 0; i < n; ++i) {
    const auto card = static_cast<uint64_t>(cards[i]);  // a negative number becomes huge
    if (card >= num_cards) [[unlikely]]
      return kBad;
    repeated |= word & words[card] & kRankBits;
    word += words[card];
  }
  return repeated ? kBad : word;
}

// Fills `out` and returns -1, or returns the number of the first row that is not a set of cards.
template <class T, int N, class Strength>
int64_t evaluate_rows(const T* cards, size_t rows, const uint64_t* words, int num_cards, int32_t* out,
                      Strength strength) {
  for (size_t row = 0; row < rows; ++row, cards += N) {
    const uint64_t word = gather(cards, N, words, num_cards);
    if (word == kBad) [[unlikely]]
      return static_cast<int64_t>(row);
    out[row] = strength(word);
  }
  return -1;
}

template <class T>
int64_t evaluate(Input<T, 2> cards, int num_ranks, int num_suits, bool three_card, Output<int32_t, 1> out) {
  nb::gil_scoped_release release;
  const auto words = card_words(num_ranks, num_suits);
  const int num_cards = num_ranks * num_suits;
  const size_t rows = cards.shape(0);
  const auto run = [&]<int N>() {
    return evaluate_rows<T, N>(cards.data(), rows, words.data(), num_cards, out.data(), standard_strength);
  };
  if (three_card)
    return evaluate_rows<T, 3>(cards.data(), rows, words.data(), num_cards, out.data(), three_card_strength);
  switch (cards.shape(1)) {
    case 1: return run.template operator()<1>();
    case 2: return run.template operator()<2>();
    case 3: return run.template operator()<3>();
    case 4: return run.template operator()<4>();
    case 5: return run.template operator()<5>();
    case 6: return run.template operator()<6>();
    default: return run.template operator()<7>();
  }
}

// Returns (first bad board or -1, first bad hand or -1).
std::pair<int64_t, int64_t> evaluate_boards(Input<int16_t, 2> boards, Input<int16_t, 2> hands, int num_ranks,
                                            int num_suits, bool three_card, Output<int32_t, 2> out) {
  nb::gil_scoped_release release;
  const auto words = card_words(num_ranks, num_suits);
  const int num_cards = num_ranks * num_suits;
  const size_t num_hands = hands.shape(0), num_boards = boards.shape(0);
  std::vector<uint64_t> hand_words(num_hands);
  for (size_t hand = 0; hand < num_hands; ++hand) {
    hand_words[hand] = gather(hands.data() + hand * hands.shape(1), hands.shape(1), words.data(), num_cards);
    if (hand_words[hand] == kBad) return {-1, static_cast<int64_t>(hand)};
  }
  int32_t* row = out.data();
  for (size_t board = 0; board < num_boards; ++board, row += num_hands) {
    const uint64_t word = gather(boards.data() + board * boards.shape(1), boards.shape(1), words.data(), num_cards);
    if (word == kBad) return {static_cast<int64_t>(board), -1};
    const uint64_t taken = word & kRankBits;
    for (size_t hand = 0; hand < num_hands; ++hand) {
      const uint64_t added = hand_words[hand];
      if (added & taken) row[hand] = -1;
      else row[hand] = three_card ? three_card_strength(word + added) : standard_strength(word + added);
    }
  }
  return {-1, -1};
}

typedef int16_t Lanes __attribute__((vector_size(32), aligned(2), may_alias));
constexpr size_t kRows = 4, kWidth = sizeof(Lanes) / sizeof(int16_t), kVectors = 2;
constexpr size_t kTile = kVectors * kWidth;  // hands

using Tile = int16_t[kTile][kTile];

// On how many boards each hand of a tile's rows, [B][kTile], is stronger than each hand of its columns, [B][kTile].
__attribute__((always_inline)) inline void count_rows(const int16_t* rows, const int16_t* columns, size_t num_boards,
                                                      Tile& tile) {
  for (size_t row = 0; row < kTile; row += kRows) {
    Lanes found[kRows][kVectors] = {};
    for (size_t board = 0; board < num_boards; ++board) {
      const int16_t* const mine = rows + board * kTile + row;
      const Lanes* const theirs = reinterpret_cast<const Lanes*>(columns + board * kTile);
      for (size_t i = 0; i < kRows; ++i)
        for (size_t v = 0; v < kVectors; ++v) found[i][v] -= mine[i] > theirs[v];
    }
    for (size_t i = 0; i < kRows; ++i)
      for (size_t v = 0; v < kVectors; ++v) reinterpret_cast<Lanes*>(tile[row + i])[v] = found[i][v];
  }
}

using CountTile = void (*)(const int16_t*, const int16_t*, size_t, Tile&);

void count_tile_anywhere(const int16_t* rows, const int16_t* columns, size_t num_boards, Tile& tile) {
  count_rows(rows, columns, num_boards, tile);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void count_tile_avx2(const int16_t* rows, const int16_t* columns, size_t num_boards,
                                                     Tile& tile) {
  count_rows(rows, columns, num_boards, tile);
}
const CountTile kCountTile = has_avx2() ? count_tile_avx2 : count_tile_anywhere;
#else
const CountTile kCountTile = count_tile_anywhere;
#endif

// The hands' places in the order of strength on some boards, which fit into 16 bits, tile by tile: [tiles][B][kTile].
// Dead hands, and those past the end, are placed below all hands among the rows and above all among the columns.
struct Places {
  std::vector<int16_t> rows, columns;
  size_t hands, boards;

  explicit Places(Input<int32_t, 2> strengths) : hands(strengths.shape(1)), boards(strengths.shape(0)) {
    constexpr int16_t kMost = std::numeric_limits<int16_t>::max();
    if (hands > size_t(kMost) || boards > size_t(kMost)) throw std::invalid_argument("too many hands or boards");
    const size_t size = (hands + kTile - 1) / kTile * kTile * boards;
    rows.assign(size, -1);
    columns.assign(size, kMost);
    std::vector<uint64_t> keys(hands), scratch(hands);
    for (size_t board = 0; board < boards; ++board) {
      const int32_t* const strength = strengths.data() + board * hands;
      int live = 0;
      for (size_t hand = 0; hand < hands; ++hand)
        if (strength[hand] >= 0) keys[live++] = uint64_t(strength[hand]) << 32 | hand;
      sort_by_strength(keys.data(), scratch.data(), live);
      int16_t place = -1;
      uint64_t last = ~0ULL;
      for (int i = 0; i < live; ++i) {
        place += keys[i] >> 32 != last;
        last = keys[i] >> 32;
        const size_t hand = keys[i] & 0xffffffff, to = (hand / kTile * boards + board) * kTile + hand % kTile;
        rows[to] = columns[to] = place;
      }
    }
  }

  void count(size_t row, size_t column, Tile& tile) const {
    kCountTile(rows.data() + row * boards, columns.data() + column * boards, boards, tile);
  }
};

// Adds to wins[i][j] on how many boards, `times` each, hand i is stronger than hand j; strengths, [B, H], are below 0
// for dead hands, which are stronger than none and weaker than none.
void count_wins(Input<int32_t, 2> strengths, int32_t times, Output<int32_t, 2> wins) {
  nb::gil_scoped_release release;
  const Places places(strengths);
  Tile tile;
  for (size_t column = 0; column < places.hands; column += kTile)
    for (size_t row = 0; row < places.hands; row += kTile) {
      places.count(row, column, tile);
      for (size_t i = 0; i < kTile && row + i < places.hands; ++i)
        for (size_t j = 0; j < kTile && column + j < places.hands; ++j)
          wins.data()[(row + i) * places.hands + column + j] += times * tile[i][j];
    }
}

// Adds to ahead[i][j] on how many boards hand i is stronger than hand j, less on how many it is weaker, and nothing for
// two hands that share a card.  Strengths as for count_wins; hands, [H, k], are the hands' cards.
template <class Count>
void count_ahead(Input<int32_t, 2> strengths, Input<int16_t, 2> hands, Output<Count, 2> ahead) {
  nb::gil_scoped_release release;
  const Places places(strengths);
  const size_t num_hands = places.hands, cards_each = hands.shape(1);
  std::vector<uint64_t> held(num_hands);
  for (size_t i = 0; i < num_hands * cards_each; ++i) held[i / cards_each] |= 1ULL << hands.data()[i];
  Tile stronger, weaker;
  for (size_t row = 0; row < num_hands; row += kTile)
    for (size_t column = row; column < num_hands; column += kTile) {
      places.count(row, column, stronger);
      places.count(column, row, weaker);
      const size_t rows = std::min(kTile, num_hands - row), columns = std::min(kTile, num_hands - column);
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j) {
          const Count more = held[row + i] & held[column + j] ? 0 : stronger[i][j] - weaker[j][i];
          ahead.data()[(row + i) * num_hands + column + j] += more;
          if (row != column) ahead.data()[(column + j) * num_hands + row + i] -= more;
        }
    }
}

void count_sets(const uint64_t* words, int num_cards, int left, int from, uint64_t word, bool three_card,
                int64_t* counts) {
  if (left == 0) {
    const int32_t strength = three_card ? three_card_strength(word) : standard_strength(word);
    ++counts[strength >> kCategoryShift];
    return;
  }
  for (int card = from; card <= num_cards - left; ++card)
    count_sets(words, num_cards, left - 1, card + 1, word + words[card], three_card, counts);
}

void count_categories(int num_ranks, int num_suits, int num_drawn, bool three_card, Output<int64_t, 1> counts) {
  nb::gil_scoped_release release;
  const auto words = card_words(num_ranks, num_suits);
  count_sets(words.data(), num_ranks * num_suits, num_drawn, 0, 0, three_card, counts.data());
}

}  // namespace

void bind_strength(nb::module_& module) {
  module.attr("CATEGORY_SHIFT") = kCategoryShift;
  module.attr("CATEGORIES") = kCategories;
  const nb::arg any;
  module.def("evaluate", &evaluate<int16_t>, nb::arg().noconvert(), any, any, any, any);
  module.def("evaluate", &evaluate<int32_t>, nb::arg().noconvert(), any, any, any, any);
  module.def("evaluate", &evaluate<int64_t>, nb::arg().noconvert(), any, any, any, any);
  module.def("evaluate_boards", &evaluate_boards);
  module.def("count_categories", &count_categories);
  module.def("count_wins", &count_wins);
  module.def("count_ahead", &count_ahead<int16_t>, any, any, nb::arg().noconvert());
  module.def("count_ahead", &count_ahead<int32_t>, any, any, nb::arg().noconvert());
}

}  // namespace errai::cards
