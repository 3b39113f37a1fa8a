#include "indexer.hpp"

#include <algorithm>
#include <utility>

#include <nanobind/stl/vector.h>

#include "module.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace errai::cards {
namespace {

// Binomial coefficients of ranks: kChoose[n][k] for n, k up to 13.
constexpr auto make_choose() {
  std::array<std::array<int32_t, kMaxRanks + 1>, kMaxRanks + 1> table{};
  for (int n = 0; n <= kMaxRanks; ++n) {
    table[n][0] = 1;
    for (int k = 1; k <= n; ++k) table[n][k] = table[n - 1][k - 1] + (k < n ? table[n - 1][k] : 0);
  }
  return table;
}

auto make_popcount() {
  std::array<uint8_t, 1 << kMaxRanks> table{};
  for (int mask = 1; mask < 1 << kMaxRanks; ++mask) table[mask] = static_cast<uint8_t>(table[mask >> 1] + (mask & 1));
  return table;
}

constexpr auto kChoose = make_choose();
const auto kPopcount = make_popcount();

// Returns n over k for k up to four, written out so that the divisors are constants.
inline int64_t choose(int64_t n, int k) {
  if (k == 1) return n;
  const int64_t two = n * (n - 1) / 2;
  if (k == 2) return two;
  const int64_t three = two * (n - 2) / 3;
  return k == 3 ? three : three * (n - 3) / 4;
}

// Returns the number of multisets of `count` elements from `kinds`.
int64_t multichoose(int64_t kinds, int count) { return choose(kinds + count - 1, count); }

// The sort key of a suit: its shape above its number, which is below 13! < 2^48.
constexpr int kShapeShift = 48;

// Returns the set of `size` unused ranks with a colexicographic number; unused ranks are counted from the lowest.
uint32_t set_of_number(int32_t number, int size, uint32_t used, int num_ranks) {
  uint32_t set = 0;
  int free = num_ranks - kPopcount[used];
  int rank = num_ranks;  // the free ranks from `rank` on are numbered `free` and above
  for (int k = size; k > 0; --k) {
    do {
      do --rank;
      while (used >> rank & 1);
      --free;
    } while (kChoose[free][k] > number);
    set |= 1u << rank;
    number -= kChoose[free][k];
  }
  return set;
}

}  // namespace

Indexer::Indexer(int num_ranks, int num_suits, std::vector<int> cards_per_round)
    : num_ranks_(num_ranks), num_suits_(num_suits), per_round_(std::move(cards_per_round)) {
  for (int card = 0; card < num_cards(); ++card) {
    suit_of_[card] = static_cast<uint8_t>(card % num_suits_);
    rank_of_[card] = static_cast<uint8_t>(card / num_suits_);
  }
  int radix = 1;
  for (const int cards : per_round_) {
    radix_.push_back(radix);
    radix *= cards + 1;
  }
  radix_.push_back(radix);
  rounds_.resize(per_round_.size());
  for (size_t round = 0; round < rounds_.size(); ++round) build(static_cast<int>(round));
}

std::vector<int> Indexer::counts(int round, int shape) const {
  std::vector<int> result;
  for (int i = 0; i <= round; ++i) result.push_back(shape / radix_[i] % (per_round_[i] + 1));
  return result;
}

void Indexer::build(int round) {
  Round& tables = rounds_[round];
  tables.num_shapes = radix_[round + 1];
  for (int shape = 0; shape < tables.num_shapes; ++shape) {
    int64_t size = 1;
    int free = num_ranks_;
    for (const int count : counts(round, shape)) {
      size = free < count ? 0 : size * kChoose[free][count];
      if (size == 0) break;
      free -= count;
    }
    tables.suit_sizes.push_back(size);
  }
  size_t cells = 1;
  for (int suit = 1; suit < num_suits_; ++suit) cells *= tables.num_shapes;
  tables.configuration.assign(cells, -1);
  tables.offsets.push_back(0);
  std::array<int16_t, kMaxSuits> shapes{};
  std::vector<int> left(per_round_.begin(), per_round_.begin() + round + 1);
  enumerate(round, 0, shapes, left);
}

// Adds all configurations with the given first `suit` shapes whose rounds still lack `left` cards.
void Indexer::enumerate(int round, int suit, std::array<int16_t, kMaxSuits>& shapes, std::vector<int>& left) {
  Round& tables = rounds_[round];
  if (suit == num_suits_) {
    if (std::any_of(left.begin(), left.end(), [](int cards) { return cards > 0; })) return;
    Configuration found;
    int64_t size = 1;
    size_t cell = 0;
    for (int last = num_suits_; last > 0;) {  // the last group is the least significant
      int first = last - 1;
      while (first > 0 && shapes[first - 1] == shapes[last - 1]) --first;
      for (int i = first; i < last; ++i) {
        found.stride[i] = size;
        found.shape[i] = shapes[i];
        // Suits without cards all have number 0; placing them one by one avoids multisets.
        found.place[i] = shapes[i] == 0 ? 1 : static_cast<uint8_t>(last - i);
      }
      size *= multichoose(tables.suit_sizes[shapes[first]], last - first);
      last = first;
    }
    for (int i = 0; i + 1 < num_suits_; ++i) cell = cell * tables.num_shapes + shapes[i];
    tables.configuration[cell] = static_cast<int32_t>(tables.configurations.size());
    tables.configurations.push_back(found);
    tables.offsets.push_back(tables.offsets.back() + size);
    return;
  }
  const int highest = suit == 0 ? tables.num_shapes - 1 : shapes[suit - 1];
  for (int shape = highest; shape >= 0; --shape) {
    if (tables.suit_sizes[shape] == 0) continue;
    const std::vector<int> taken = counts(round, shape);
    bool fits = true;
    for (int i = 0; i <= round; ++i) fits = fits && taken[i] <= left[i];
    if (!fits) continue;
    for (int i = 0; i <= round; ++i) left[i] -= taken[i];
    shapes[suit] = static_cast<int16_t>(shape);
    enumerate(round, suit + 1, shapes, left);
    for (int i = 0; i <= round; ++i) left[i] += taken[i];
  }
}

template <class T>
int64_t Indexer::index(int round, const T* cards) const {
  const Round& tables = rounds_[round];
  const auto deck_size = static_cast<uint64_t>(num_cards());
  uint32_t used[kMaxSuits] = {};
  int64_t number[kMaxSuits] = {}, factor[kMaxSuits] = {1, 1, 1, 1}, shape[kMaxSuits] = {};
  for (int i = 0; i <= round; cards += per_round_[i++]) {
    uint32_t dealt[kMaxSuits] = {};
    int64_t set_number[kMaxSuits] = {};
    for (int j = 0; j < per_round_[i]; ++j) {
      const auto card = static_cast<uint64_t>(cards[j]);  // a negative number becomes huge
      if (card >= deck_size) return -1;
      const uint32_t rank_bit = 1u << rank_of_[card];
      uint32_t& set = dealt[suit_of_[card]];
      if ((used[suit_of_[card]] | set) & rank_bit) return -1;
      set |= rank_bit;
      shape[suit_of_[card]] += radix_[i];
    }
    // Card by card, compute the colexicographic number of each suit's set among the ranks that the suit has not used
    // yet.
    for (int j = 0; j < per_round_[i]; ++j) {
      const int suit = suit_of_[cards[j]], rank = rank_of_[cards[j]];
      const uint32_t below = (1u << rank) - 1;
      set_number[suit] += kChoose[rank - kPopcount[used[suit] & below]][kPopcount[dealt[suit] & below] + 1];
    }
    for (int suit = 0; suit < num_suits_; ++suit) {
      number[suit] += factor[suit] * set_number[suit];
      factor[suit] *= kChoose[num_ranks_ - kPopcount[used[suit]]][kPopcount[dealt[suit]]];
      used[suit] |= dealt[suit];
    }
  }

  int64_t keys[kMaxSuits];
  for (int suit = 0; suit < num_suits_; ++suit) keys[suit] = shape[suit] << kShapeShift | number[suit];
  for (int end = num_suits_ - 1; end > 0; --end)
    for (int i = 0; i < end; ++i) {
      const int64_t greater = std::max(keys[i], keys[i + 1]);
      keys[i + 1] = std::min(keys[i], keys[i + 1]);
      keys[i] = greater;
    }
  size_t cell = 0;
  for (int i = 0; i + 1 < num_suits_; ++i) cell = cell * tables.num_shapes + (keys[i] >> kShapeShift);
  const int32_t which = tables.configuration[cell];
  const Configuration& configuration = tables.configurations[which];
  int64_t result = tables.offsets[which];
  for (int i = 0; i < num_suits_; ++i) {
    const int64_t suit_number = keys[i] & ((1LL << kShapeShift) - 1);
    const int place = configuration.place[i];
    // A multiset of numbers a >= b >= c is the set a + 2 > b + 1 > c, numbered colexicographically.
    result += configuration.stride[i] * (place == 1 ? suit_number : choose(suit_number + place - 1, place));
  }
  return result;
}

void Indexer::unindex(int round, int64_t index, int16_t* cards) const {
  const Round& tables = rounds_[round];
  const auto after = std::upper_bound(tables.offsets.begin(), tables.offsets.end(), index);
  const size_t which = after - tables.offsets.begin() - 1;
  const auto& [stride, shape, place] = tables.configurations[which];
  int64_t left = index - tables.offsets[which];
  int64_t number[kMaxSuits] = {};
  for (int i = 0; i < num_suits_; ++i) {
    if (shape[i] == 0) break;
    if (place[i] == 1) {
      number[i] = left / stride[i];
    } else {
      // Find the greatest number whose share of the index does not exceed the rest.
      int64_t low = 0, high = tables.suit_sizes[shape[i]];
      while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        (choose(middle + place[i] - 1, place[i]) <= left / stride[i] ? low : high) = middle;
      }
      number[i] = low;
    }
    left -= stride[i] * choose(number[i] + place[i] - 1, place[i]);
  }

  uint32_t used[kMaxSuits] = {};
  for (int i = 0; i <= round; ++i) {
    int16_t* const begin = cards;
    for (int suit = 0; suit < num_suits_; ++suit) {
      const int count = shape[suit] / radix_[i] % (per_round_[i] + 1);
      if (count == 0) continue;
      const int64_t sets = kChoose[num_ranks_ - kPopcount[used[suit]]][count];
      const uint32_t set = set_of_number(static_cast<int32_t>(number[suit] % sets), count, used[suit], num_ranks_);
      number[suit] /= sets;
      used[suit] |= set;
      for (uint32_t rest = set; rest; rest &= rest - 1)
        *cards++ = static_cast<int16_t>(std::countr_zero(rest) * num_suits_ + suit);
    }
    std::sort(begin, cards);
  }
}

namespace {

// Fills `out` and returns -1, or returns the number of the first row that is not a deal.
template <class T>
int64_t index_rows(const Indexer& indexer, int round, Input<T, 2> cards, Output<int64_t, 1> out) {
  nb::gil_scoped_release release;
  const size_t rows = cards.shape(0), columns = cards.shape(1);
  for (size_t row = 0; row < rows; ++row) {
    out.data()[row] = indexer.index(round, cards.data() + row * columns);
    if (out.data()[row] < 0) return static_cast<int64_t>(row);
  }
  return -1;
}

// Computes the index of each hand on each board, -1 if they share a card; boards[b] has the cards of all rounds but the
// first, whose cards are the hand.
void index_hands(const Indexer& indexer, int round, Input<int16_t, 2> boards, Input<int16_t, 2> hands, int threads,
                 Output<int64_t, 2> out) {
  nb::gil_scoped_release release;
  const size_t on_board = boards.shape(1), in_hand = hands.shape(1), count = hands.shape(0);
  in_parallel(boards.shape(0), 1, threads, [&] {
    return [&, cards = std::vector<int16_t>(in_hand + on_board)](size_t board, size_t) mutable {
      std::copy_n(boards.data() + board * on_board, on_board, cards.data() + in_hand);
      for (size_t hand = 0; hand < count; ++hand) {
        std::copy_n(hands.data() + hand * in_hand, in_hand, cards.data());
        out.data()[board * count + hand] = indexer.index(round, cards.data());
      }
    };
  });
}

void unindex_rows(const Indexer& indexer, int round, Input<int64_t, 1> indices, Output<int16_t, 2> out) {
  nb::gil_scoped_release release;
  const size_t columns = out.shape(1);
  for (size_t row = 0; row < indices.shape(0); ++row)
    indexer.unindex(round, indices.data()[row], out.data() + row * columns);
}

}  // namespace

void bind_indexer(nb::module_& module) {
  nb::class_<Indexer>(module, "Indexer")
      .def(nb::init<int, int, std::vector<int>>())
      .def("size", &Indexer::size)
      .def("index", &index_rows<int16_t>, nb::arg(), nb::arg().noconvert(), nb::arg())
      .def("index", &index_rows<int32_t>, nb::arg(), nb::arg().noconvert(), nb::arg())
      .def("index", &index_rows<int64_t>, nb::arg(), nb::arg().noconvert(), nb::arg())
      .def("index_hands", &index_hands)
      .def("unindex", &unindex_rows);
}

}  // namespace errai::cards
