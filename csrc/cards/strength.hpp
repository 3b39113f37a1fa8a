// The strength of up to seven cards as one integer; greater is better.
//
// Cards are collected in one 64-bit word with four 16-bit lanes, one per suit: bits 0..12 of a lane are the ranks of
// the suit, bits 13..15 count its cards.  Everything else follows from the four rank masks by Boolean arithmetic and
// two tables of 8,192 entries.
//
// A reduced deck is first shifted to the top ranks, so that the wheel (A2345, and A23 of three cards) exists exactly if
// the deck has its cards.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace errai::cards {

constexpr int kMaxRanks = 13;
constexpr int kMaxSuits = 4;
constexpr int kMaxCards = kMaxRanks * kMaxSuits;
constexpr uint64_t kRankBits = 0x1fff1fff1fff1fffULL;

// A strength has the category above bit 20 and up to five ranks below it, four bits each, the most important one
// highest.
constexpr int kCategoryShift = 20;

enum Standard : int32_t { kHighCard, kPair, kTwoPair, kTrips, kStraight, kFlush, kFullHouse, kQuads, kStraightFlush };

// Rhode Island hold'em ranks three cards; its categories have numbers of their own, so that a strength identifies its
// category.
enum ThreeCard : int32_t {
  kThreeHighCard = 16,
  kThreePair,
  kThreeFlush,
  kThreeStraight,
  kThreeTrips,
  kThreeStraightFlush
};

constexpr int kCategories = 32;

inline std::array<int32_t, 1 << kMaxRanks> make_top_five() {
  std::array<int32_t, 1 << kMaxRanks> table{};
  for (int mask = 0; mask < 1 << kMaxRanks; ++mask) {
    int32_t packed = 0;
    for (int rank = kMaxRanks - 1, shift = 16; rank >= 0 && shift >= 0; --rank)
      if (mask >> rank & 1) {
        packed |= rank << shift;
        shift -= 4;
      }
    table[mask] = packed;
  }
  return table;
}

// The highest rank of the best run of `length` ranks, with the ace also below the deuce; 0 if there is none.
inline std::array<int8_t, 1 << kMaxRanks> make_runs(int length) {
  std::array<int8_t, 1 << kMaxRanks> table{};
  for (int mask = 0; mask < 1 << kMaxRanks; ++mask) {
    const int with_low_ace = mask << 1 | mask >> (kMaxRanks - 1);
    const int run = (1 << length) - 1;
    for (int high = kMaxRanks; high >= length - 1; --high)
      if ((with_low_ace >> (high - length + 1) & run) == run) {
        table[mask] = static_cast<int8_t>(high - 1);
        break;
      }
  }
  return table;
}

inline const auto kTopFive = make_top_five();
inline const auto kFiveRun = make_runs(5);
inline const auto kThreeRun = make_runs(3);

inline int highest(uint32_t mask) { return 31 - std::countl_zero(mask); }

inline int32_t packed(int32_t category, int32_t ranks) { return category << kCategoryShift | ranks; }

// The bits that each card adds to the word, for a deck of the given size.
inline std::array<uint64_t, kMaxCards> card_words(int num_ranks, int num_suits) {
  std::array<uint64_t, kMaxCards> words{};
  for (int card = 0; card < num_ranks * num_suits; ++card) {
    const int rank = card / num_suits + kMaxRanks - num_ranks, suit = card % num_suits;
    words[card] = (1ULL << rank | 1ULL << kMaxRanks) << 16 * suit;
  }
  return words;
}

struct Masks {
  uint32_t any, two, three, four;  // ranks held at least once, twice, three and four times

  explicit Masks(uint64_t word) {
    const uint32_t a = word & 0x1fff, b = word >> 16 & 0x1fff;
    const uint32_t c = word >> 32 & 0x1fff, d = word >> 48 & 0x1fff;
    const uint32_t ab = a | b, cd = c | d, a_b = a & b, c_d = c & d;
    any = ab | cd;
    two = a_b | c_d | (ab & cd);
    three = (a_b & cd) | (c_d & ab);
    four = a_b & c_d;
  }
};

// The best of at most five cards, from a word of one to seven cards; straights and flushes need five.  Seven cards with
// a straight or flush have five different ranks and so cannot have a full house or four of a kind.
inline int32_t standard_strength(uint64_t word) {
  const uint64_t five_of_suit = word >> 15 & (word >> 14 | word >> 13) & 0x0001000100010001ULL;
  if (five_of_suit) [[unlikely]] {
    const uint32_t suited = word >> std::countr_zero(five_of_suit) & 0x1fff;
    const int32_t run = kFiveRun[suited];
    return run ? packed(kStraightFlush, run << 16) : packed(kFlush, kTopFive[suited]);
  }
  const Masks held(word);
  if (const int32_t run = kFiveRun[held.any]) [[unlikely]]
    return packed(kStraight, run << 16);
  if (!held.two) return packed(kHighCard, kTopFive[held.any]);
  if (!held.three) {
    const int high = highest(held.two);
    const uint32_t rest = held.two ^ 1u << high;
    if (!rest) return packed(kPair, high << 16 | (kTopFive[held.any ^ held.two] >> 4 & 0xfff0));
    const int low = highest(rest);
    const int32_t kicker = kTopFive[held.any ^ 1u << high ^ 1u << low] >> 16;
    return packed(kTwoPair, high << 16 | low << 12 | kicker << 8);
  }
  if (held.four) {
    const int rank = highest(held.four);
    return packed(kQuads, rank << 16 | kTopFive[held.any ^ 1u << rank] >> 16 << 12);
  }
  const int rank = highest(held.three);
  const uint32_t pairs = held.two ^ 1u << rank;
  if (pairs) return packed(kFullHouse, rank << 16 | highest(pairs) << 12);
  return packed(kTrips, rank << 16 | (kTopFive[held.any ^ 1u << rank] >> 4 & 0xff00));
}

// Exactly three cards in the order of Rhode Island hold'em (Shi and Littman 2001): straight flush, three
// of a kind, straight, flush, pair, high card.
inline int32_t three_card_strength(uint64_t word) {
  const uint64_t three_of_suit = word >> 14 & word >> 13 & 0x0001000100010001ULL;
  const Masks held(word);
  const int32_t run = kThreeRun[held.any];
  if (run) return packed(three_of_suit ? kThreeStraightFlush : kThreeStraight, run << 16);
  if (three_of_suit) return packed(kThreeFlush, kTopFive[held.any]);
  if (held.three) return packed(kThreeTrips, highest(held.three) << 16);
  if (held.two) return packed(kThreePair, highest(held.two) << 16 | kTopFive[held.any ^ held.two] >> 16 << 12);
  return packed(kThreeHighCard, kTopFive[held.any]);
}

// Sorts keys, which have a strength in their upper half, by it and stably, in three passes of nine bits; `scratch` has
// room for as many keys.
inline void sort_by_strength(uint64_t* keys, uint64_t* scratch, int count) {
  constexpr int kBits = 9, kPasses = 3, kBins = 1 << kBits;
  static_assert(kCategories << kCategoryShift <= 1 << kBits * kPasses);
  uint16_t counts[kPasses][kBins] = {};
  for (int i = 0; i < count; ++i)
    for (int pass = 0; pass < kPasses; ++pass) ++counts[pass][keys[i] >> (32 + kBits * pass) & (kBins - 1)];
  uint64_t *from = keys, *to = scratch;
  for (int pass = 0; pass < kPasses; ++pass) {
    uint16_t place = 0;
    for (uint16_t& counted : counts[pass]) place = static_cast<uint16_t>(place + std::exchange(counted, place));
    const int shift = 32 + kBits * pass;
    for (int i = 0; i < count; ++i) to[counts[pass][from[i] >> shift & (kBins - 1)]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::memcpy(keys, from, static_cast<size_t>(count) * sizeof *keys);
}

}  // namespace errai::cards
