// Vectorised evaluation over arrays that Python owns.  Shapes are the caller's promise; card numbers are
// checked here, because checking them while reading costs next to nothing.
#include "strength.hpp"

#include <vector>

#include "module.hpp"

namespace nb = nanobind;

namespace errai::cards {
namespace {

constexpr uint64_t kBad = ~0ULL;

// The word of `n` cards, or kBad if a card is out of range or repeated.
template <class T>
inline uint64_t gather(const T* cards, size_t n, const uint64_t* words, uint64_t num_cards) {
  uint64_t word = 0, repeated = 0;
  for (size_t i = 0; i < n; ++i) {
    const auto card = static_cast<uint64_t>(cards[i]);  // a negative number becomes a huge one
    if (card >= num_cards) [[unlikely]] return kBad;
    repeated |= word & words[card] & kRankBits;
    word += words[card];
  }
  return repeated ? kBad : word;
}

// Fills `out` and returns -1, or returns the number of the first row that is no set of cards.
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
}

}  // namespace errai::cards
