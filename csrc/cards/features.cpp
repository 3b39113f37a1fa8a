#include "features.hpp"

#include <cstring>

#include "module.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace errai::cards {

void Showdown::sort(uint64_t board, bool three_card) {
  const uint64_t taken = board & kRankBits;
  live_ = 0;
  for (int hand = 0; hand < hands_.count; ++hand) {
    const uint64_t added = hands_.word[hand];
    if (added & taken) continue;
    const auto strength =
        static_cast<uint32_t>(three_card ? three_card_strength(board + added) : standard_strength(board + added));
    sorted_[live_++] = static_cast<uint64_t>(strength) << 32 | static_cast<uint32_t>(hand);
  }
  sort_by_strength(sorted_, other_, live_);
}

template <class Add>
void Showdown::strengths(Add add) const {
  int32_t below = 0, with_card[kMaxCards] = {}, before[kMaxHands];
  const bool pair = hands_.cards_each == 2;
  const uint8_t *const first = hands_.first.data(), *const second = hands_.second.data();
  for (int begin = 0, end; begin < live_; begin = end) {
    const uint64_t strength = sorted_[begin] >> 32;
    for (end = begin; end < live_ && sorted_[end] >> 32 == strength; ++end) {
      const auto hand = static_cast<uint32_t>(sorted_[end]);
      before[end] = below - with_card[first[hand]] - (pair ? with_card[second[hand]] : 0);
    }
    for (int i = begin; i < end; ++i) {
      const auto hand = static_cast<uint32_t>(sorted_[i]);
      ++with_card[first[hand]];
      if (pair) ++with_card[second[hand]];
    }
    below += end - begin;
    for (int i = begin; i < end; ++i) {
      const auto hand = static_cast<uint32_t>(sorted_[i]);
      // The hand itself has been subtracted once for each of its cards.
      const int32_t after = below - with_card[first[hand]] - (pair ? with_card[second[hand]] - 1 : 0);
      add(hand, before[i] + after);
    }
  }
}

template <class Add>
void Showdown::against(const int8_t* cluster, Add add) const {
  Lanes16 unit[kLanes + 1] = {};  // the last entry is for hands without a cluster
  for (int i = 0; i < kLanes; ++i) unit[i][i] = 1;
  const auto one = [&](uint32_t hand) { return unit[cluster[hand] < 0 ? kLanes : cluster[hand]]; };
  Lanes16 below = {}, with_card[kMaxCards] = {}, won[kMaxHands];
  const bool pair = hands_.cards_each == 2;
  const uint8_t *const first = hands_.first.data(), *const second = hands_.second.data();
  const auto met = [&](uint32_t hand) {
    return pair ? below - with_card[first[hand]] - with_card[second[hand]] : below - with_card[first[hand]];
  };
  for (int begin = 0, end; begin < live_; begin = end) {
    const uint64_t strength = sorted_[begin] >> 32;
    for (end = begin; end < live_ && sorted_[end] >> 32 == strength; ++end)
      won[end] = met(static_cast<uint32_t>(sorted_[end]));
    for (int i = begin; i < end; ++i) {
      const auto hand = static_cast<uint32_t>(sorted_[i]);
      const Lanes16 added = one(hand);
      below += added;
      with_card[first[hand]] += added;
      if (pair) with_card[second[hand]] += added;
    }
    for (int i = begin; i < end; ++i) {
      const auto hand = static_cast<uint32_t>(sorted_[i]);
      won[i] += pair ? met(hand) + one(hand) : met(hand);
    }
  }
  for (int i = 0; i < live_; ++i) {
    const auto hand = static_cast<uint32_t>(sorted_[i]);
    const Lanes16 all = pair ? met(hand) + one(hand) : met(hand);
    add(hand, won[i], all + all);
  }
}

namespace {

Hands all_hands(Input<int16_t, 2> cards, const uint64_t* words) {
  Hands hands;
  hands.count = static_cast<int>(cards.shape(0));
  hands.cards_each = static_cast<int>(cards.shape(1));
  for (int hand = 0; hand < hands.count; ++hand) {
    const int16_t* const card = cards.data() + hand * hands.cards_each;
    uint64_t word = 0;
    for (int i = 0; i < hands.cards_each; ++i) word += words[card[i]];
    hands.word.push_back(word);
    hands.first.push_back(static_cast<uint8_t>(card[0]));
    hands.second.push_back(static_cast<uint8_t>(card[hands.cards_each - 1]));
  }
  return hands;
}

// Adds up over the final boards start[b] to start[b + 1] - 1 of each b, with v = W + V:
//   moments     [B, H, 3]: weights of the boards that do not block the hand, and weighted sums of v and of v * v
//   histograms  [B, H, bins]: weights by the bin of v, which is bin_of[v]
//   clusters    [B, H, 2, 8]: against each cluster the sums of v and of its greatest possible value
// An output whose third axis is empty is not computed.
void showdown_sums(Input<int16_t, 2> boards, Input<int32_t, 1> weights, Input<int64_t, 1> start,
                   Input<int16_t, 2> hand_cards, int num_ranks, int num_suits, bool three_card,
                   Input<int32_t, 1> bin_of, Input<int8_t, 1> cluster, int threads, Output<int64_t, 3> moments,
                   Output<uint32_t, 3> histograms, Output<uint32_t, 4> clusters) {
  nb::gil_scoped_release release;
  const auto words = card_words(num_ranks, num_suits);
  const Hands hands = all_hands(hand_cards, words.data());
  const size_t bases = start.shape(0) - 1, num_hands = hands.count, bins = histograms.shape(2);
  const size_t board_cards = boards.shape(1);
  const bool wants_moments = moments.shape(2) > 0, wants_clusters = clusters.shape(2) > 0;
  in_parallel(bases, 1, threads, [&] {
    return [&, showdown = Showdown(hands)](size_t first, size_t) mutable {
      int64_t* const sums = moments.data() + first * num_hands * 3;
      uint32_t* const counts = histograms.data() + first * num_hands * bins;
      uint32_t* const lanes = clusters.data() + first * num_hands * 2 * kLanes;
      for (int64_t row = start.data()[first]; row < start.data()[first + 1]; ++row) {
        uint64_t word = 0;
        for (size_t i = 0; i < board_cards; ++i) word += words[boards.data()[row * board_cards + i]];
        const int32_t weight = weights.data()[row];
        showdown.sort(word, three_card);
        if (wants_moments || bins)
          showdown.strengths([&](uint32_t hand, int32_t value) {
            if (wants_moments) {
              sums[3 * hand] += weight;
              sums[3 * hand + 1] += static_cast<int64_t>(weight) * value;
              sums[3 * hand + 2] += static_cast<int64_t>(weight) * value * value;
            }
            if (bins) counts[hand * bins + bin_of.data()[value]] += weight;
          });
        if (wants_clusters)
          showdown.against(cluster.data(), [&](uint32_t hand, Lanes16 won, Lanes16 all) {
            const Lanes32 factor = Lanes32{} + static_cast<uint32_t>(weight);
            Lanes32 sum[2];
            uint32_t* const at = lanes + 2 * kLanes * hand;
            std::memcpy(sum, at, sizeof sum);
            sum[0] += __builtin_convertvector(won, Lanes32) * factor;
            sum[1] += __builtin_convertvector(all, Lanes32) * factor;
            std::memcpy(at, sum, sizeof sum);
          });
      }
    };
  });
}

}  // namespace

void bind_features(nb::module_& module) {
  module.attr("LANES") = kLanes;
  module.def("showdown_sums", &showdown_sums);
}

}  // namespace errai::cards
