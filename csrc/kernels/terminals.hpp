// Fold and showdown nodes of one board.  Here the roles turn: the reach vectors that terminal nodes hang on become the
// lanes of vectors, and one sweep over the hands, in order of strength, serves them all.  Internal linkage, see walk.cpp.
#pragma once

#include "lanes.hpp"
#include "tree.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

// Vectors of lanes that one sweep carries: a cache line for every hand. More would not fit into the nearest cache.
constexpr int MAX_SWEEP = 64 / ERRAI_VECTOR_BYTES;

// A group of up to M vectors of W lanes, for T values, K private cards; on PLAIN boards the opponent's classes are of one
// hand each.
template <class T, int K, int M, int W, bool PLAIN>
class Sweep {
 public:
  Sweep(const Tree& tree, const Street& street, int board, int player, const Scratch& scratch, const T* opponent, T* values)
      : street_(street),
        board_(board),
        me_(player),
        mine_(street.hands[player]),
        theirs_(street.hands[1 - player]),
        my_count_(mine_.count(board)),
        their_count_(theirs_.count(board)),
        my_stride_(street.stride[player]),
        their_stride_(street.stride[1 - player]),
        my_first_(mine_.start[board]),
        their_first_(theirs_.start[board]),
        sums_(PLAIN ? tree.num_cards : theirs_.sums[board]),
        opponent_(opponent),
        values_(values),
        zeros_(static_cast<const T*>(scratch.zeros)),
        my_places_(PLAIN ? static_cast<const uint16_t*>(scratch.places[player]) : mine_.place + my_first_ * K),
        their_places_(static_cast<const uint16_t*>(scratch.places[1 - player])),
        entered_(static_cast<Lanes*>(scratch.lanes) + 1),
        partial_(entered_ + their_stride_),
        card_(partial_ + my_stride_) {}

  void run(const Lane* lanes, int count) {
    bool any_fold = false, any_show = false;
    for (int l = 0; l < count; ++l) {
      any_fold |= lanes[l].fold_node >= 0;
      any_show |= lanes[l].show_node >= 0;
    }
    if (any_show && all_tie()) {
      for (int l = 0; l < count; ++l)
        if (lanes[l].show_node >= 0) std::memset(values_ + int64_t(lanes[l].show_node) * my_stride_, 0, my_count_ * sizeof(T));
      any_show = false;
      if (!any_fold) return;
    }
    enter(lanes, count);
    sweep(any_show);
    if (any_show) finish<false>(lanes, count, false);
    if (any_fold) finish<true>(lanes, count, any_show);
  }

 private:
  using Vector = L<T, W>;
  struct Lanes {
    Vector at[M];
  };

  const Street& street_;
  const int board_, me_;
  const Hands& mine_;
  const Hands& theirs_;
  const int my_count_, their_count_, my_stride_, their_stride_;
  const int64_t my_first_, their_first_;
  const int sums_;
  const T* const opponent_;
  T* const values_;
  const T* const zeros_;
  const uint16_t* const my_places_;     // [my hands, K] cards times PLACE
  const uint16_t* const their_places_;
  Lanes* const entered_;  // [their hands] reach, a lane per terminal; at -1, the twin of no hand, zeros
  Lanes* const partial_;  // [my hands] W(before) + W(through the group)
  Lanes* const card_;     // [sums] reach of the hands that hold a card
  Vector total_[M];

  // The sum over the hands that hold a card. Whoever writes through pointers passes a local copy of where sums begin: a
  // member could be what is written to, for all that the compiler knows.
  static Lanes& sum_at(Lanes* sums, size_t place) {
    return *reinterpret_cast<Lanes*>(reinterpret_cast<char*>(sums) + place * (sizeof(Lanes) / PLACE));
  }

  // Whether all hands are equally strong, so that nobody wins anything at a showdown.
  bool all_tie() const {
    const Tie& first = mine_.ties[mine_.tie_start[board_]];
    return my_count_ > 0 && first.weaker == 0 && first.mine == my_count_ && first.equal == their_count_;
  }

  // The reach rows of the lanes, turned.
  void enter(const Lane* lanes, int count) {
    to_lanes<T, W>(their_count_, M, [&](int lane) {
      return lane < count ? opponent_ + int64_t(lanes[lane].slot) * their_stride_ : zeros_;
    }, entered_->at);
    for (int m = 0; m < M; ++m) entered_[-1].at[m] = Vector{};
  }

  // Adds the opponent's hands in order of strength; on the way notes, for each of my hands, what is below it.
  void sweep(bool any_show) {
    for (int c = 0; c < sums_; ++c)
      for (int m = 0; m < M; ++m) card_[c].at[m] = Vector{};
    Vector total[M] = {};
    const uint16_t* their_places = their_places_;
    const Merged* merged = PLAIN ? nullptr : theirs_.merged + their_first_;
    const Lanes* theirs = entered_;
    Lanes* const sums = card_;
    const auto add = [&](int64_t hands) INLINED {
      for (; hands > 0; --hands, ++theirs) {
        if constexpr (PLAIN) {
          Lanes& first = sum_at(sums, their_places[0]);
          Lanes& second = sum_at(sums, their_places[K - 1]);
          their_places += K;
          for (int m = 0; m < M; ++m) {
            const Vector r = theirs->at[m];
            total[m] += r;
            first.at[m] += r;
            if constexpr (K == 2) second.at[m] += r;
          }
        } else {
          const T size = T(merged->size), one = T(merged->count[0]), two = T(merged->count[1]);
          Lanes& first = sum_at(sums, merged->place[0]);
          Lanes& second = sum_at(sums, merged->place[1]);
          ++merged;
          for (int m = 0; m < M; ++m) {
            const Vector r = theirs->at[m];
            total[m] += r * size;
            first.at[m] += r * one;
            if constexpr (K == 2) second.at[m] += r * two;
          }
        }
      }
    };
    // What is left of the opponent's reach when my cards are taken out; an equal hand is taken out twice when K = 2.
    const auto without = [&](const uint16_t* places, int m) INLINED {
      Vector w = total[m] - sum_at(sums, places[0]).at[m];
      if constexpr (K == 2) w -= sum_at(sums, places[1]).at[m];
      return w;
    };
    if (any_show) {
      const uint16_t* places = my_places_;
      Lanes* mine = partial_;
      const Tie* const last = mine_.ties + mine_.tie_start[board_ + 1];
      for (const Tie* tie = mine_.ties + mine_.tie_start[board_]; tie < last; ++tie) {
        add(tie->weaker);
        if (tie->equal) {
          for (int h = 0; h < tie->mine; ++h)
            for (int m = 0; m < M; ++m) mine[h].at[m] = without(places + h * K, m);
          add(tie->equal);
          for (int h = tie->mine; h > 0; --h, ++mine, places += K)
            for (int m = 0; m < M; ++m) mine->at[m] += without(places, m);
        } else {
          for (int h = tie->mine; h > 0; --h, ++mine, places += K)
            for (int m = 0; m < M; ++m) {
              const Vector w = without(places, m);
              mine->at[m] = w + w;
            }
        }
      }
    }
    add(their_count_ - (theirs - entered_));
    for (int m = 0; m < M; ++m) total_[m] = total[m];
  }

  // The values of the fold nodes, or of the showdowns, turned back into rows of hands.  Showdowns leave behind, in the
  // place of the partial sums, what folds need.
  template <bool FOLD>
  void finish(const Lane* lanes, int count, bool left_behind) {
    const uint16_t* const my_places = my_places_;
    const int32_t* twin = mine_.twin + my_first_;
    for (int m = 0; m * W < count; ++m) {
      T* to[W] = {};
      T chips[W] = {};
      bool used = false;
      for (int l = 0; l < W && m * W + l < count; ++l) {
        const Lane& lane = lanes[m * W + l];
        const int node = FOLD ? lane.fold_node : lane.show_node;
        if (node < 0) continue;
        used = true;
        to[l] = values_ + int64_t(node) * my_stride_;
        chips[l] = T(FOLD && street_.actor[node] == me_ ? -street_.payoff[node] : street_.payoff[node]);
      }
      if (!used && FOLD) continue;
      for (int h = 0; h < my_count_; h += W) {
        Vector block[W];
        const auto turned = [&](int l) INLINED {
          Vector w;
          if (FOLD && left_behind) {
            w = partial_[h + l].at[m];
          } else {
            w = total_[m] - sum_at(card_, my_places[(h + l) * K]).at[m];
            if constexpr (K == 2) w -= sum_at(card_, my_places[(h + l) * K + 1]).at[m];
          }
          if constexpr (FOLD) {
            if constexpr (K == 2) w += entered_[twin[h + l]].at[m];
            block[l] = w;
          } else {
            block[l] = partial_[h + l].at[m] - w;
            partial_[h + l].at[m] = w;
          }
        };
        // A number of hands that is known when this is compiled keeps the block in registers.
        if (my_count_ - h >= W) {
          for (int l = 0; l < W; ++l) turned(l);
        } else {
          for (int l = 0; l < W; ++l)
            if (h + l < my_count_) turned(l);
            else block[l] = Vector{};
        }
        transpose<T, W>(block);
        for (int l = 0; l < W; ++l) {
          if (!to[l]) continue;
          const Vector won = block[l] * chips[l];
          std::memcpy(to[l] + h, &won, sizeof won);
        }
      }
    }
  }
};

template <class T, int K, int M, int W, bool PLAIN>
APART void sweep_group(const Tree& tree, const Street& street, int board, int player, const Scratch& scratch,
                 const T* opponent, T* values, const Lane* lanes, int count) {
  Sweep<T, K, M, W, PLAIN>(tree, street, board, player, scratch, opponent, values).run(lanes, count);
}

// Whole sweeps from a lane on while there are as many lanes, then one for what is left, in vectors of N lanes that are as
// few or as narrow as will do.
template <class T, int K, int M, int N>
void sweeps(const Tree& tree, const Street& street, const Section& section, int board, int player, const Scratch& scratch,
            const T* opponent, T* values, int first) {
  const bool plain = !street.hands[1 - player].sums[board];
  const auto group = [&](auto width, int count) {
    constexpr int W = width;
    (plain ? sweep_group<T, K, M, W, true> : sweep_group<T, K, M, W, false>)(tree, street, board, player, scratch, opponent,
                                                                            values, section.lanes + first, count);
    first += count;
  };
  while (section.num_lanes - first > (M - 1) * N) {
    const int count = section.num_lanes - first < M * N ? section.num_lanes - first : M * N;
    if constexpr (M > 1) group(Const<N>{}, count);
    else by_lanes<T>(count, [&](auto width) { group(width, count); });
  }
  if constexpr (M > 1)
    if (first < section.num_lanes)
      sweeps<T, K, M - 1, N>(tree, street, section, board, player, scratch, opponent, values, first);
}

// Values of the fold and showdown nodes of a part of a board, in sweeps of whole vectors or, with `halves`, of twice as
// many half as wide.
template <class T, int K>
void terminals(const Tree& tree, const Street& street, const Section& section, int board, int player, const Scratch& scratch,
               const T* opponent, T* values, bool halves) {
  if (!section.num_lanes) return;
  for (int p = 0; p < 2 && !street.hands[1 - player].sums[board]; ++p) {
    const Hands& hands = street.hands[p];
    const uint8_t* cards = hands.cards + hands.start[board] * K;
    uint16_t* const places = static_cast<uint16_t*>(scratch.places[p]);
    for (int i = 0; i < hands.count(board) * K; ++i) places[i] = uint16_t(cards[i] * PLACE);
  }
  constexpr int N = Vec<T>::N;
  if constexpr (ERRAI_VECTOR_BYTES == 64)
    if (halves) return sweeps<T, K, 2 * MAX_SWEEP, N / 2>(tree, street, section, board, player, scratch, opponent, values, 0);
  sweeps<T, K, MAX_SWEEP, N>(tree, street, section, board, player, scratch, opponent, values, 0);
}

}  // namespace
}  // namespace ERRAI_ISA
}  // namespace errai
