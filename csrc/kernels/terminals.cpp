// Fold and showdown nodes of one board.  The reach vectors that terminal nodes depend on become the lanes of vectors,
// and one sweep over the hands, in order of strength, computes the values of all of them.  Compiled like walk.cpp.

#include "terminals.hpp"

#include "lanes.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

// Number of vectors of lanes in one sweep.
constexpr int MAX_SWEEP = LANE_BYTES / ERRAI_VECTOR_BYTES;

// A group of up to M vectors of W lanes, for values of type T and K private cards.  On PLAIN boards the opponent's
// classes have one hand each.  If showdowns are not UNEVEN, a loss is minus a win and a tie pays nothing.
template <class T, int K, int M, int W, bool PLAIN, bool UNEVEN>
class Sweep {
 public:
  Sweep(const Tree& tree, const Street& street, int board, int player, const Scratch& scratch, const T* opponent,
        T* values)
      : street_(street), board_(board), me_(player), mine_(street.hands[player]), theirs_(street.hands[1 - player]),
        my_count_(mine_.count(board)), their_count_(theirs_.count(board)), my_stride_(street.stride[player]),
        their_stride_(street.stride[1 - player]), my_first_(mine_.start[board]), their_first_(theirs_.start[board]),
        sums_(PLAIN ? tree.num_cards : theirs_.sums[board]), opponent_(opponent), values_(values),
        zeros_(static_cast<const T*>(scratch.zeros)),
        my_places_(PLAIN ? static_cast<const uint16_t*>(scratch.places[player]) : mine_.place + my_first_ * K),
        their_places_(static_cast<const uint16_t*>(scratch.places[1 - player])),
        entered_(static_cast<Lanes*>(scratch.lanes) + 1), partial_(entered_ + their_stride_),
        ties_(partial_ + my_stride_), card_(ties_ + (UNEVEN ? my_stride_ : 0)) {}

  void run(const Lane* lanes, int count) {
    bool any_fold = false, any_show = false;
    for (int l = 0; l < count; ++l) {
      any_fold |= lanes[l].fold_node >= 0;
      any_show |= lanes[l].show_node >= 0;
    }
    if (!UNEVEN && any_show && all_tie()) {
      for (int l = 0; l < count; ++l)
        if (lanes[l].show_node >= 0)
          std::memset(values_ + int64_t(lanes[l].show_node) * my_stride_, 0, my_count_ * sizeof(T));
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
  const uint16_t* const my_places_;  // [my hands, K] cards times PLACE
  const uint16_t* const their_places_;
  Lanes* const entered_;  // [their hands] reach, a lane per terminal; zeros at -1, for hands without a twin
  Lanes* const partial_;  // [my hands] W(before) + W(through the group)
  Lanes* const ties_;     // [my hands] W(through the group) - W(before), if showdowns are uneven
  Lanes* const card_;     // [sums] reach of the hands that contain a card
  Vector total_[M];

  // Returns the sum over the hands that contain a card.  Callers that write through pointers pass a local copy of the
  // start of the sums, because the compiler cannot exclude that a write changes a member.
  static Lanes& sum_at(Lanes* sums, size_t place) {
    return *reinterpret_cast<Lanes*>(reinterpret_cast<char*>(sums) + place * (sizeof(Lanes) / PLACE));
  }
  static const Lanes& sum_at(const Lanes* sums, size_t place) { return sum_at(const_cast<Lanes*>(sums), place); }

  // Returns whether all hands are equally strong, so that every showdown is a tie.
  bool all_tie() const {
    const Tie& first = mine_.ties[mine_.tie_start[board_]];
    return my_count_ > 0 && first.weaker == 0 && first.mine == my_count_ && first.equal == their_count_;
  }

  // Transposes the reach rows of the lanes.
  void enter(const Lane* lanes, int count) {
    to_lanes<T, W>(
        their_count_, M,
        [&](int lane) { return lane < count ? opponent_ + int64_t(lanes[lane].slot) * their_stride_ : zeros_; },
        entered_->at);
    for (int m = 0; m < M; ++m) entered_[-1].at[m] = Vector{};
  }

  // Adds the opponent's hands in order of strength, and records for each of my hands the sums of weaker ones.
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
    // Subtracts the opponent's hands that contain one of my cards; with K = 2 the same hand is subtracted twice.
    const auto without = [&](const uint16_t* places, int m) INLINED {
      Vector w = total[m] - sum_at(sums, places[0]).at[m];
      if constexpr (K == 2) w -= sum_at(sums, places[1]).at[m];
      return w;
    };
    if (any_show) {
      const uint16_t* places = my_places_;
      Lanes* mine = partial_;
      [[maybe_unused]] Lanes* ties = ties_;
      const Tie* const last = mine_.ties + mine_.tie_start[board_ + 1];
      for (const Tie* tie = mine_.ties + mine_.tie_start[board_]; tie < last; ++tie) {
        add(tie->weaker);
        if (tie->equal) {
          for (int h = 0; h < tie->mine; ++h)
            for (int m = 0; m < M; ++m) mine[h].at[m] = without(places + h * K, m);
          add(tie->equal);
          for (int h = tie->mine; h > 0; --h, ++mine, places += K)
            for (int m = 0; m < M; ++m) {
              const Vector through = without(places, m);
              if constexpr (UNEVEN) ties->at[m] = through - mine->at[m];
              mine->at[m] += through;
              if constexpr (UNEVEN) ties += m == M - 1;
            }
        } else {
          for (int h = tie->mine; h > 0; --h, ++mine, places += K)
            for (int m = 0; m < M; ++m) {
              const Vector w = without(places, m);
              mine->at[m] = w + w;
              if constexpr (UNEVEN) ties->at[m] = Vector{};
              if constexpr (UNEVEN) ties += m == M - 1;
            }
        }
      }
    }
    add(their_count_ - (theirs - entered_));
    for (int m = 0; m < M; ++m) total_[m] = total[m];
  }

  // Writes the values of the fold nodes, or of the showdowns, as rows of hands.  For showdowns, the partial sums are
  // then replaced by the sums that folds need.
  template <bool FOLD>
  void finish(const Lane* lanes, int count, bool left_behind) {
    for (int m = 0; m * W < count; ++m) {
      T* to[W] = {};
      T chips[W] = {};
      [[maybe_unused]] Vector middle{},
          skew{};  // if showdowns are uneven: for all compatible hands, and extra for ties
      bool used = false;
      for (int l = 0; l < W && m * W + l < count; ++l) {
        const Lane& lane = lanes[m * W + l];
        const int node = FOLD ? lane.fold_node : lane.show_node;
        if (node < 0) continue;
        used = true;
        to[l] = values_ + int64_t(node) * my_stride_;
        const End& end = street_.end(node, me_);
        if constexpr (FOLD) {
          chips[l] = T(street_.paired(node)         ? (end.win + end.lose) / 2
                       : street_.actor[node] == me_ ? end.lose
                                                    : end.win);
        } else if constexpr (UNEVEN) {
          chips[l] = T((end.win - end.lose) / 2);
          middle[l] = T((end.win + end.lose) / 2);
          skew[l] = T(end.tie - (end.win + end.lose) / 2);
        } else {
          chips[l] = T(end.win);
        }
      }
      if (!used && FOLD) continue;
      [[maybe_unused]] Vector spread;
      for (int l = 0; l < W; ++l) spread[l] = chips[l];
      // Of every block of hands there are pointers to its first, from which the others are at fixed distances.
      Lanes* partial = partial_;
      [[maybe_unused]] const Lanes* tied = ties_;
      const Lanes* const sums = card_;
      const Lanes* const entered = entered_;
      const uint16_t* places = my_places_;
      const int32_t* twin = mine_.twin + my_first_;
      const Vector total = total_[m];
      for (int h = 0; h < my_count_; h += W, partial += W, tied += W, places += W * K, twin += W) {
        Vector block[W];
        const auto turned = [&](int l) INLINED {
          Vector w;
          if (FOLD && left_behind) {
            w = partial[l].at[m];
          } else {
            w = total - sum_at(sums, places[l * K]).at[m];
            if constexpr (K == 2) w -= sum_at(sums, places[l * K + 1]).at[m];
          }
          if constexpr (FOLD) {
            if constexpr (K == 2) w += entered[twin[l]].at[m];
            block[l] = w;
          } else {
            block[l] = partial[l].at[m] - w;
            if constexpr (UNEVEN) {
              Vector fits = w, ties = tied[l].at[m];
              if constexpr (K == 2) fits += entered[twin[l]].at[m], ties += entered[twin[l]].at[m];
              block[l] = block[l] * spread + fits * middle + ties * skew;
            }
            partial[l].at[m] = w;
          }
        };
        // A number of hands that is known at compile time keeps the block in registers.
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
          const Vector won = UNEVEN && !FOLD ? block[l] : block[l] * chips[l];
          std::memcpy(to[l] + h, &won, sizeof won);
        }
      }
    }
  }
};

template <class T, int K, int M, int W, bool PLAIN>
APART void sweep_group(const Tree& tree, const Street& street, int board, int player, const Scratch& scratch,
                       const T* opponent, T* values, const Lane* lanes, int count) {
  Sweep<T, K, M, W, PLAIN, false>(tree, street, board, player, scratch, opponent, values).run(lanes, count);
}

// This function has a name of its own, so that the linker does not place it among the code that nearly every solve
// needs.
template <class T, int K, int M, int W, bool PLAIN>
APART void uneven_group(const Tree& tree, const Street& street, int board, int player, const Scratch& scratch,
                        const T* opponent, T* values, const Lane* lanes, int count) {
  Sweep<T, K, M, W, PLAIN, true>(tree, street, board, player, scratch, opponent, values).run(lanes, count);
}

// Runs whole sweeps from a lane on while there are enough lanes, then one for the rest, in as few or as narrow vectors
// of at most N lanes as possible.
template <class T, int K, int M, int N>
void sweeps(const Tree& tree, const Street& street, const Section& section, int board, int player,
            const Scratch& scratch, const T* opponent, T* values, int first) {
  const bool plain = !street.hands[1 - player].sums[board];
  const auto group = [&](auto width, int count) {
    constexpr int W = width;
    const auto sweep = street.uneven ? plain ? uneven_group<T, K, M, W, true> : uneven_group<T, K, M, W, false>
                       : plain       ? sweep_group<T, K, M, W, true>
                                     : sweep_group<T, K, M, W, false>;
    sweep(tree, street, board, player, scratch, opponent, values, section.lanes + first, count);
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

// Computes the values of ends that take their probabilities from one matrix: each row is read once for up to G ends.
template <class T, int G>
APART void pair_group(const Street& street, const PairEnd* pairs, int board, int player, const T* opponent, T* values) {
  constexpr int N = Vec<T>::N;
  const PairPayoffs& payoffs = street.matrices[street.matrix[pairs[0].node]];
  const int mine = street.hands[player].count(board), theirs = street.hands[1 - player].count(board);
  const T* reach[G];
  T* to[G];
  T spread[G], skew[G];
  bool added[G], skewed = false;
  for (int g = 0; g < G; ++g) {
    const End& end = street.end(pairs[g].node, player);
    reach[g] = opponent + int64_t(pairs[g].slot) * street.stride[1 - player];
    to[g] = values + int64_t(pairs[g].node) * street.stride[player];
    spread[g] = T((end.win - end.lose) / 2);
    skew[g] = T(end.tie - (end.win + end.lose) / 2);
    added[g] = end.win + end.lose != 0.0;  // a sweep has already written to this row
    skewed |= skew[g] != T(0);
  }
  const auto multiply = [&](const double* row, T* found) INLINED {
    V<T> sum[G] = {};
    by_vectors<N>(theirs, [&](int h, auto lanes, auto) INLINED {
      const V<T> entry = load<T, double>(row + h, lanes);
      for (int g = 0; g < G; ++g) sum[g] += entry * load<T, T>(reach[g] + h, lanes);
    });
    for (int g = 0; g < G; ++g) found[g] = total<T>(sum[g]);
  };
  const double* margin = payoffs.margin[player] + street.pair_start[board];
  const double* tie = skewed && payoffs.tie[player] ? payoffs.tie[player] + street.pair_start[board] : nullptr;
  for (int h = 0; h < mine; ++h) {
    T won[G], tied[G] = {};
    multiply(margin + int64_t(h) * theirs, won);
    if (tie) multiply(tie + int64_t(h) * theirs, tied);
    for (int g = 0; g < G; ++g) to[g][h] = (added[g] ? to[g][h] : T(0)) + spread[g] * won[g] + skew[g] * tied[g];
  }
}

template <class T>
APART void pair_ends(const Street& street, const Section& section, int board, int player, const T* opponent,
                     T* values) {
  const auto matrix = [&](int i) { return street.matrix[section.pairs[i].node]; };
  for (int i = 0; i < section.num_pairs;) {
    const bool four = i + 4 <= section.num_pairs && matrix(i) == matrix(i + 3);
    (four ? pair_group<T, 4> : pair_group<T, 1>)(street, section.pairs + i, board, player, opponent, values);
    i += four ? 4 : 1;
  }
}

// Sweeps the lanes of a part of a board in whole vectors or, with `halves`, in twice as many of half the width.
template <class T, int K>
void sweep_board(const Tree& tree, const Street& street, const Section& section, int board, int player,
                 const Scratch& scratch, const T* opponent, T* values, bool halves) {
  for (int p = 0; p < 2 && !street.hands[1 - player].sums[board]; ++p) {
    const Hands& hands = street.hands[p];
    const uint8_t* cards = hands.cards + hands.start[board] * K;
    uint16_t* const places = static_cast<uint16_t*>(scratch.places[p]);
    for (int i = 0; i < hands.count(board) * K; ++i) places[i] = uint16_t(cards[i] * PLACE);
  }
  constexpr int N = Vec<T>::N;
  if constexpr (ERRAI_VECTOR_BYTES == 64)
    if (halves)
      return sweeps<T, K, 2 * MAX_SWEEP, N / 2>(tree, street, section, board, player, scratch, opponent, values, 0);
  sweeps<T, K, MAX_SWEEP, N>(tree, street, section, board, player, scratch, opponent, values, 0);
}

template <class T>
void ends_of_board(const Tree& tree, const Street& street, const Section& section, int board, int player,
                   const Scratch& scratch, const T* opponent, T* values, bool halves) {
  const auto sweep = tree.hole_cards == 1 ? sweep_board<T, 1> : sweep_board<T, 2>;
  if (section.num_lanes) sweep(tree, street, section, board, player, scratch, opponent, values, halves);
  if (section.num_pairs) pair_ends<T>(street, section, board, player, opponent, values);
}

}  // namespace

void terminals(const Tree& tree, const Street& street, const Section& section, int board, int player,
               const Scratch& scratch, const float* opponent, float* values, bool halves) {
  ends_of_board(tree, street, section, board, player, scratch, opponent, values, halves);
}

void terminals(const Tree& tree, const Street& street, const Section& section, int board, int player,
               const Scratch& scratch, const double* opponent, double* values, bool halves) {
  ends_of_board(tree, street, section, board, player, scratch, opponent, values, halves);
}

}  // namespace ERRAI_ISA
}  // namespace errai
