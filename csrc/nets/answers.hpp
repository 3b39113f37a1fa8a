// The factorised network (errai/nets/networks/factorised.py is its definition), asked on one board.
//
// Hands of a board stand in the order of what they win without bets, so that groups of a range are runs of neighbours:
// of the J groups every hand is in at most two, which are next to each other, and products with the matrix of all pairs
// of hands take two columns a range and not J.
#pragma once

#include <cstddef>
#include <cstdint>

namespace errai {

constexpr int TILE = 64;        // hands; rows of hands are padded to whole tiles
constexpr int MOST_CARDS = 64;  // of a deck

constexpr int padded(int count) { return (count + TILE - 1) / TILE * TILE; }

// Rows of inputs, in each of which the outputs lie padded to whole tiles; the bias may be missing.
struct Layer {
  const float* weight;
  const float* bias;
  int in, out;  // out is padded
};

struct Net {
  int groups, embedding, knots, bins, readout;  // J, E, S, ..., K
  Layer join1;  // in: own range, other range, own histogram, other histogram, stack, seat; its bias is the board's
  Layer join2;
  Layer slopes;  // out: [2 J + 2][K]
  Layer readouts;
};

struct BoardData {
  int hands;  // L
  int cards_each;
  const int32_t* sorted;       // [L] hand by place in the order of strength
  const int32_t* class_start;  // [classes + 1] in that order, hands that win the same being a class
  int classes;
  const int32_t* cards;     // [2][padded] of hands in that order
  const int16_t* margins;   // [L][padded] wins less losses of the row's hand against the column's
  float unit;               // chips that one of them stands for, in pots, for the column's hand
  const float* embedded;    // [L][padded E]
  const float* terms;       // [K][padded]
  const float* join1_bias;  // with what the board adds
};

struct Question {
  int queries;            // Q
  int width;              // U
  const float* ranges;    // [Q][2][U]
  const int32_t* places;  // [L] of the board's hands among the U, or null where they are the same
  const float* stacks;    // [Q][S]: where the stack is among the knots
  const float* depths;    // [Q]: d
  bool scaled;     // whether ranges are scaled to sum to 1 here and values weighted with what the other one brought
  float* values;   // [Q][2][L]
  float* brought;  // [Q][2]
};

// Bytes of working memory for so many queries at once, and how many go at once.
constexpr int QUERIES_AT_ONCE = 8;
size_t scratch_bytes(const Net& net, int hands);

#define ERRAI_DECLARE_ANSWER(isa)                                                               \
  namespace isa {                                                                               \
  void answer(const Net& net, const BoardData& board, const Question& question, void* scratch); \
  }
ERRAI_DECLARE_ANSWER(baseline)
#if defined(__x86_64__)
ERRAI_DECLARE_ANSWER(avx2)
ERRAI_DECLARE_ANSWER(avx512)
#endif
#undef ERRAI_DECLARE_ANSWER

}  // namespace errai
