// Vectorised evaluation of arrays that Python owns.  The caller has checked shapes; card numbers are checked here,
// because checking them while reading costs next to nothing.
#include "strength.hpp"

#include <algorithm>
#include <limits>
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
    if (card >= num_cards) [[unlikely]] return kBad;
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
    if (word == kBad) [[unlikely]] return static_cast<int64_t>(row);
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
    const uint64_t word =
        gather(boards.data() + board * boards.shape(1), boards.shape(1), words.data(), num_cards);
    if (word == kBad) return {static_cast<int64_t>(board), -1};
    const uint64_t taken = word & kRankBits;
    for (size_t hand = 0; hand < num_hands; ++hand) {
      const uint64_t added = hand_words[hand];
      if (added & taken)
        row[hand] = -1;
      else
        row[hand] = three_card ? three_card_strength(word + added) : standard_strength(word + added);
    }
  }
  return {-1, -1};
}

typedef int32_t Lanes __attribute__((vector_size(32), aligned(4), may_alias));
constexpr size_t kRows = 4, kVectors = 2, kWidth = sizeof(Lanes) / sizeof(int32_t), kColumns = kVectors * kWidth;

// On how many boards each of a few hands, [B][kRows], is stronger than each of others, [B][kColumns].
__attribute__((always_inline)) inline void count_block(const int32_t* mine, const int32_t* theirs, size_t num_boards,
                                                       int32_t* counts) {
  Lanes found[kRows][kVectors] = {};
  for (size_t board = 0; board < num_boards; ++board, mine += kRows, theirs += kColumns) {
    const Lanes* const against = reinterpret_cast<const Lanes*>(theirs);
    for (size_t i = 0; i < kRows; ++i)
      for (size_t v = 0; v < kVectors; ++v) found[i][v] -= mine[i] > against[v];
  }
  for (size_t i = 0; i < kRows; ++i)
    for (size_t v = 0; v < kVectors; ++v) reinterpret_cast<Lanes*>(counts)[i * kVectors + v] = found[i][v];
}

using CountBlock = void (*)(const int32_t*, const int32_t*, size_t, int32_t*);

void count_block_anywhere(const int32_t* mine, const int32_t* theirs, size_t num_boards, int32_t* counts) {
  count_block(mine, theirs, num_boards, counts);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void count_block_avx2(const int32_t* mine, const int32_t* theirs, size_t num_boards,
                                                      int32_t* counts) {
  count_block(mine, theirs, num_boards, counts);
}
const CountBlock kCountBlock = has_avx2() ? count_block_avx2 : count_block_anywhere;
#else
const CountBlock kCountBlock = count_block_anywhere;
#endif

// Strengths of some neighbouring hands together: [hands / width][B][width], and `dead` for dead ones and past the end.
std::vector<int32_t> in_blocks(Input<int32_t, 2> strengths, size_t width, int32_t dead) {
  const size_t num_boards = strengths.shape(0), num_hands = strengths.shape(1);
  std::vector<int32_t> blocks((num_hands + width - 1) / width * width * num_boards, dead);
  for (size_t board = 0; board < num_boards; ++board)
    for (size_t hand = 0; hand < num_hands; ++hand)
      if (const int32_t strength = strengths.data()[board * num_hands + hand]; strength >= 0)
        blocks[(hand / width * num_boards + board) * width + hand % width] = strength;
  return blocks;
}

// Adds to wins[i][j] on how many boards, `times` each, hand i is stronger than hand j; strengths, [B, H], are below 0
// for dead hands, which are stronger than none and weaker than none.
void count_wins(Input<int32_t, 2> strengths, int32_t times, Output<int32_t, 2> wins) {
  nb::gil_scoped_release release;
  const size_t num_boards = strengths.shape(0), num_hands = strengths.shape(1);
  const std::vector<int32_t> mine = in_blocks(strengths, kRows, -1);
  const std::vector<int32_t> theirs = in_blocks(strengths, kColumns, std::numeric_limits<int32_t>::max());
  for (size_t column = 0; column < num_hands; column += kColumns)
    for (size_t row = 0; row < num_hands; row += kRows) {
      int32_t counts[kRows][kColumns];
      kCountBlock(mine.data() + row * num_boards, theirs.data() + column * num_boards, num_boards, counts[0]);
      for (size_t i = 0; i < kRows && row + i < num_hands; ++i)
        for (size_t j = 0; j < kColumns && column + j < num_hands; ++j)
          wins.data()[(row + i) * num_hands + column + j] += times * counts[i][j];
    }
}

// Wins less losses over the boards left, [H, H], and 0 for two hands that share a card.
void margins_of(Input<int32_t, 2> wins, Input<int16_t, 2> hands, float boards, Output<float, 2> margins) {
  nb::gil_scoped_release release;
  constexpr size_t kBlock = 32;  // hands; rows and columns of a block stay in the cache
  const size_t num_hands = hands.shape(0), cards_each = hands.shape(1);
  std::vector<uint64_t> held(num_hands);
  for (size_t i = 0; i < num_hands * cards_each; ++i) held[i / cards_each] |= 1ULL << hands.data()[i];
  for (size_t row = 0; row < num_hands; row += kBlock)
    for (size_t column = 0; column < num_hands; column += kBlock)
      for (size_t i = row; i < std::min(row + kBlock, num_hands); ++i)
        for (size_t j = column; j < std::min(column + kBlock, num_hands); ++j) {
          const int32_t ahead = wins.data()[i * num_hands + j] - wins.data()[j * num_hands + i];
          margins.data()[i * num_hands + j] = held[i] & held[j] ? 0.0f : static_cast<float>(ahead) / boards;
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

void count_categories(int num_ranks, int num_suits, int num_drawn, bool three_card,
                      Output<int64_t, 1> counts) {
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
  module.def("margins_of", &margins_of);
}

}  // namespace errai::cards
