// See answers.hpp.  Compiled once per instruction set like csrc/kernels/walk.cpp, and under the same rules.

#include "answers.hpp"

#include "../kernels/flush_to_zero.hpp"
#include "../kernels/vector.hpp"

namespace errai {
namespace ERRAI_ISA {
namespace {

constexpr int N = Vec<float>::N;
constexpr int U = 4;                                    // vectors that loops carry at once
constexpr int KEPT = ERRAI_VECTOR_BYTES == 64 ? 4 : 2;  // rows that they carry beside that
constexpr float NO_WEIGHT = 1e-6f;                      // as in factorised.py
static_assert(TILE % (U * N) == 0);

using Vector = V<float>;

INLINED inline Vector at(const float* from) { return load<float, float>(from); }
INLINED inline Vector least(Vector a, Vector b) { return a < b ? a : b; }
INLINED inline Vector clipped(Vector v, float low, float high) {
  return least(max<float>(v, splat<float>(low)), splat<float>(high));
}

// R rows of outputs from one output on, in VECTORS vectors: y = bias + x W.
template <int R, int VECTORS, bool RELU>
INLINED inline void block_of(const float* x, int64_t stride, const Layer& layer, const float* bias, float* y) {
  Vector sum[R][VECTORS];
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < VECTORS; ++v) sum[r][v] = bias ? at(bias + v * N) : Vector{};
  const float* weight = layer.weight;
  for (int i = 0; i < layer.in; ++i, weight += layer.out) {
    Vector w[VECTORS];
    for (int v = 0; v < VECTORS; ++v) w[v] = at(weight + v * N);
    for (int r = 0; r < R; ++r) {
      const Vector one = splat<float>(x[r * stride + i]);
      for (int v = 0; v < VECTORS; ++v) sum[r][v] += one * w[v];
    }
  }
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < VECTORS; ++v)
      store<float>(y + int64_t(r) * layer.out + v * N, RELU ? max<float>(sum[r][v], Vector{}) : sum[r][v]);
}

template <int R, bool RELU>
APART void rows_of(const float* x, int64_t stride, const Layer& layer, float* y) {
  constexpr int VECTORS = 4;
  for (int o = 0; o < layer.out; o += VECTORS * N) {
    const Layer part{layer.weight + o, nullptr, layer.in, layer.out};
    block_of<R, VECTORS, RELU>(x, stride, part, layer.bias ? layer.bias + o : nullptr, y + o);
  }
}

// y[rows][out] = bias + x[rows][stride] W, negative ones being 0 with RELU.
template <bool RELU>
void product(int rows, const float* x, int64_t stride, const Layer& layer, float* y) {
  for (; rows >= KEPT; rows -= KEPT, x += KEPT * stride, y += int64_t(KEPT) * layer.out)
    rows_of<KEPT, RELU>(x, stride, layer, y);
  for (; rows > 0; --rows, x += stride, y += layer.out) rows_of<1, RELU>(x, stride, layer, y);
}

// A hand of a range with its weight in the lower and the upper one of its two groups.
struct Member {
  int32_t row;
  float low, high;
};

// Neighbours in the same groups and the same tile.
struct Piece {
  int32_t first, last, group;
};

class Memory {
 public:
  explicit Memory(void* at) : at_(static_cast<char*>(at)) {}
  template <class T>
  T* take(int64_t count) {
    T* const found = reinterpret_cast<T*>(at_);
    at_ += (count * int64_t(sizeof(T)) + 63) / 64 * 64;
    return found;
  }
  int64_t used(const void* from) const { return at_ - static_cast<const char*>(from); }

 private:
  char* at_;
};

class Asked {
 public:
  Asked(const Net& net, const BoardData& board, Memory memory)
      : net_(net), board_(board), hands_(board.hands), stride_(padded(board.hands)), groups_(net.groups),
        kept_(2 * net.groups + 1), most_pieces_(stride_ / TILE + net.groups),
        columns_(2 * net.embedding + 2 * net.bins + net.knots + 1) {
    lay(memory);
  }

  int64_t bytes() const { return bytes_; }

  void run(const Question& question, int first, int queries) {
    rows_ = 2 * queries;
    for (int i = 0; i < hands_; ++i) place_[i] = question.places ? question.places[board_.sorted[i]] : board_.sorted[i];
    for (int r = 0; r < rows_; ++r) {
      read_range(question, first, r);
      find_places(r);
      divide(r);
    }
    for (int64_t i = 0; i < int64_t(rows_) * kept_ * stride_; ++i) against_[i] = 0.0f;
    multiply();
    for (int r = 0; r < rows_; ++r) compare(r);
    contexts(question, first);
    for (int r = 0; r < rows_; ++r) value(r, question.depths[first + r / 2]);
    for (int q = 0; q < queries; ++q) write(question, first, q);
  }

 private:
  const Net& net_;
  const BoardData& board_;
  const int hands_;
  const int64_t stride_;
  const int groups_;
  const int kept_;  // rows of a hand's numbers: what it wins and what fits by group, its place
  const int most_pieces_, columns_;
  int rows_ = 0;
  int64_t bytes_ = 0;

  int32_t* place_;        // [L] of hands in the question
  float* range_;          // [R][L]
  float* brought_;        // [R]
  float* places_;         // [R][L]
  Member* members_;       // [R][L]
  Piece* pieces_;         // [R][pieces]
  int32_t* piece_start_;  // [R][tiles + 1]
  float* tile_;           // [TILE][U N] of margins
  float* against_;        // [R][2 J + 1][L]
  float* sums_;           // [J][cards] of one range
  float* checked_;        // [R][L]
  float* fitting_;        // [R][L]
  float* values_;         // [R][L]
  float* histogram_;      // [R][bins]
  float* summed_;         // [R][padded E]
  float* entering_;       // [R][columns]
  float* hidden_;         // [R][join]
  float* context_;        // [R][join]
  float* slopes_;         // [R][M K]
  float* readout_;        // [R][K]

  void lay(Memory memory) {
    const char* const begin = memory.take<char>(0);
    const int64_t rows = 2 * QUERIES_AT_ONCE;
    place_ = memory.take<int32_t>(stride_);
    range_ = memory.take<float>(rows * stride_);
    brought_ = memory.take<float>(rows);
    places_ = memory.take<float>(rows * stride_);
    members_ = memory.take<Member>(rows * stride_);
    pieces_ = memory.take<Piece>(rows * most_pieces_);
    piece_start_ = memory.take<int32_t>(rows * (stride_ / TILE + 1));
    tile_ = memory.take<float>(TILE * U * N);
    against_ = memory.take<float>(rows * kept_ * stride_);
    sums_ = memory.take<float>(int64_t(groups_) * MOST_CARDS);
    checked_ = memory.take<float>(rows * stride_);
    fitting_ = memory.take<float>(rows * stride_);
    values_ = memory.take<float>(rows * stride_);
    histogram_ = memory.take<float>(rows * net_.bins);
    summed_ = memory.take<float>(rows * padded(net_.embedding));
    entering_ = memory.take<float>(rows * columns_);
    hidden_ = memory.take<float>(rows * net_.join1.out);
    context_ = memory.take<float>(rows * net_.join2.out);
    slopes_ = memory.take<float>(rows * net_.slopes.out);
    readout_ = memory.take<float>(rows * net_.readouts.out);
    bytes_ = memory.used(begin);
  }

  float* against(int r, int m) const { return against_ + (int64_t(r) * kept_ + m) * stride_; }

  void read_range(const Question& question, int first, int r) {
    const float* const from = question.ranges + (int64_t(2 * first) + r) * question.width;
    float* const range = range_ + r * stride_;
    float sum = 0.0f;
    for (int i = 0; i < hands_; ++i) sum += range[i] = from[place_[i]];
    for (int i = hands_; i < stride_; ++i) range[i] = 0.0f;
    brought_[r] = sum;
    if (!question.scaled) return;
    // Who cannot be here with any hand might be with each.
    for (int i = 0; i < hands_; ++i) range[i] = sum > 0.0f ? range[i] / sum : 1.0f / float(hands_);
  }

  // Which share of the range is weaker than each hand, half of its equals counted.
  void find_places(int r) {
    const float* const range = range_ + r * stride_;
    float* const places = places_ + r * stride_;
    float below = 0.0f, before = 0.0f;
    for (int c = 0; c < board_.classes; ++c) {
      float weight = 0.0f;
      for (int i = board_.class_start[c]; i < board_.class_start[c + 1]; ++i) weight += range[i];
      below += weight;
      float middle = below - 0.5f * weight;
      middle = middle < before ? before : middle > 1.0f ? 1.0f : middle;  // rounding turns no order round
      before = middle;
      for (int i = board_.class_start[c]; i < board_.class_start[c + 1]; ++i) places[i] = middle;
    }
    for (int i = hands_; i < stride_; ++i) places[i] = 0.0f;
  }

  // The hands that are held, tile by tile and group by group.
  void divide(int r) {
    const float* const range = range_ + r * stride_;
    const float* const places = places_ + r * stride_;
    Member* const members = members_ + r * stride_;
    Piece* const pieces = pieces_ + int64_t(r) * most_pieces_;
    int32_t* const start = piece_start_ + r * (stride_ / TILE + 1);
    int found = 0, member = 0;
    for (int tile = 0; tile * TILE < hands_; ++tile) {
      start[tile] = found;
      int open = -1;
      const int end = (tile + 1) * TILE < hands_ ? (tile + 1) * TILE : hands_;
      for (int i = tile * TILE; i < end; ++i) {
        if (range[i] == 0.0f) continue;
        const float scaled = places[i] * float(groups_ - 1);
        const int group = int(scaled) < groups_ - 2 ? int(scaled) : groups_ - 2;
        if (group != open) {
          if (open >= 0) pieces[found - 1].last = member;
          pieces[found++] = Piece{member, member, group};
          open = group;
        }
        const float upper = scaled - float(group);
        members[member++] = Member{i - tile * TILE, (1.0f - upper) * range[i], upper * range[i]};
      }
      if (open >= 0) pieces[found - 1].last = member;
    }
    start[(hands_ + TILE - 1) / TILE] = found;
  }

  // What every hand wins against the groups of the other's range, into the first rows of against.
  void multiply() {
    const int tiles = (hands_ + TILE - 1) / TILE;
    for (int column = 0; column < hands_; column += U * N)
      for (int tile = 0; tile < tiles; ++tile) {
        const int count = hands_ - tile * TILE < TILE ? hands_ - tile * TILE : TILE;
        const int16_t* from = board_.margins + int64_t(tile) * TILE * stride_ + column;
        for (int i = 0; i < count; ++i, from += stride_)
          for (int u = 0; u < U; ++u) store<float>(tile_ + (i * U + u) * N, load<float, int16_t>(from + u * N));
        for (int r = 0; r < rows_; ++r) {
          const int32_t* const start = piece_start_ + r * (stride_ / TILE + 1) + tile;
          for (int p = start[0]; p < start[1]; ++p) add_piece(r, pieces_[int64_t(r) * most_pieces_ + p], column);
        }
      }
  }

  INLINED inline void add_piece(int r, const Piece& piece, int column) {
    float* const lower = against(r ^ 1, piece.group) + column;
    float* const upper = against(r ^ 1, piece.group + 1) + column;
    Vector low[U], high[U];
    for (int u = 0; u < U; ++u) low[u] = at(lower + u * N), high[u] = at(upper + u * N);
    const Member* const members = members_ + r * stride_;
    for (const Member *member = members + piece.first, *last = members + piece.last; member < last; ++member) {
      const float* const row = tile_ + int64_t(member->row) * U * N;
      const Vector a = splat<float>(member->low), b = splat<float>(member->high);
      for (int u = 0; u < U; ++u) {
        const Vector margin = at(row + u * N);
        low[u] += a * margin;
        high[u] += b * margin;
      }
    }
    for (int u = 0; u < U; ++u) store<float>(lower + u * N, low[u]), store<float>(upper + u * N, high[u]);
  }

  // The weights of a range's groups by the cards of its hands; returns the groups' own in totals.
  void sum_cards(int r, float* totals) {
    for (int i = 0; i < groups_ * MOST_CARDS; ++i) sums_[i] = 0.0f;
    for (int g = 0; g < groups_; ++g) totals[g] = 0.0f;
    const int32_t* const start = piece_start_ + r * (stride_ / TILE + 1);
    const int tiles = (hands_ + TILE - 1) / TILE;
    for (int tile = 0; tile < tiles; ++tile)
      for (int p = start[tile]; p < start[tile + 1]; ++p) {
        const Piece& piece = pieces_[int64_t(r) * most_pieces_ + p];
        float* const lower = sums_ + piece.group * MOST_CARDS;
        float* const upper = lower + MOST_CARDS;
        float low = 0.0f, high = 0.0f;
        for (int i = piece.first; i < piece.last; ++i) {
          const Member& member = members_[r * stride_ + i];
          const int hand = tile * TILE + member.row;
          const int first = board_.cards[hand], second = board_.cards[stride_ + hand];
          low += member.low, high += member.high;
          lower[first] += member.low, upper[first] += member.high;
          if (board_.cards_each == 2) lower[second] += member.low, upper[second] += member.high;
        }
        totals[piece.group] += low, totals[piece.group + 1] += high;
      }
  }

  // Numbers of a table of MOST_CARDS.
  INLINED static Vector look_up(const float* table, const int32_t* cards) {
#if ERRAI_VECTOR_BYTES == 64
    const __m512i index = _mm512_loadu_si512(cards);
    const __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(table), index, _mm512_loadu_ps(table + 16));
    const __m512 high = _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32), index, _mm512_loadu_ps(table + 48));
    return _mm512_mask_blend_ps(_mm512_test_epi32_mask(index, _mm512_set1_epi32(32)), low, high);
#else
    Vector found;
    for (int i = 0; i < N; ++i) found[i] = table[cards[i]];
    return found;
#endif
  }

  // What a player's hands win and meet, by groups of the other's range, and the histogram of his own.
  APART void compare(int r) {
    const int other = r ^ 1;
    float totals[MOST_CARDS];
    sum_cards(other, totals);
    const float *const range = range_ + r * stride_, *const theirs = range_ + other * stride_;
    const float* const their_places = places_ + other * stride_;
    const Vector last = splat<float>(float(groups_ - 1));
    for (int64_t i = 0; i < hands_; i += N) {
      Vector checked{}, fitting{};
      const Vector own = at(theirs + i), where = at(their_places + i) * last;
      for (int g = 0; g < groups_; ++g) {
        const float* const table = sums_ + g * MOST_CARDS;
        Vector left = splat<float>(totals[g]) - look_up(table, board_.cards + i);
        if (board_.cards_each == 2) {
          left -= look_up(table, board_.cards + stride_ + i);
          // A hand of two cards has been taken out twice by itself.
          left += own * max<float>(splat<float>(1.0f) - magnitude<float>(where - splat<float>(float(g))), Vector{});
        }
        left = max<float>(left, Vector{});
        const Vector won = at(against(r, g) + i) * splat<float>(board_.unit);
        store<float>(against(r, g) + i, won);
        store<float>(against(r, groups_ + g) + i, left);
        checked += won;
        fitting += left;
      }
      store<float>(checked_ + r * stride_ + i, checked);
      store<float>(fitting_ + r * stride_ + i, fitting);
      const Vector scale = fitting > splat<float>(NO_WEIGHT) ? splat<float>(1.0f) / fitting : Vector{};
      Vector equity{};
      for (int g = 0; g < groups_; ++g) {
        const Vector won = clipped(at(against(r, g) + i) * scale, -0.5f, 0.5f);
        store<float>(against(r, g) + i, won);
        store<float>(against(r, groups_ + g) + i, clipped(at(against(r, groups_ + g) + i) * scale, 0.0f, 1.0f));
        equity += won;
      }
      store<float>(against(r, 2 * groups_) + i, at(places_ + r * stride_ + i));
      // Where it is among the bins, until the histogram is made.
      store<float>(
          values_ + r * stride_ + i,
          clipped((equity + splat<float>(0.5f)) * splat<float>(float(net_.bins - 1)), 0.0f, float(net_.bins - 1)));
    }
    for (int b = 0; b < net_.bins; ++b) {
      Vector sum{};
      for (int64_t i = 0; i < hands_; i += N) {
        const Vector off = magnitude<float>(at(values_ + r * stride_ + i) - splat<float>(float(b)));
        sum += at(range + i) * max<float>(splat<float>(1.0f) - off, Vector{});
      }
      histogram_[r * net_.bins + b] = total<float>(sum);
    }
  }

  void contexts(const Question& question, int first) {
    const int embedding = net_.embedding, bins = net_.bins;
    const Layer sum{board_.embedded, nullptr, hands_, padded(embedding)};
    product<false>(rows_, range_, stride_, sum, summed_);
    for (int r = 0; r < rows_; ++r) {
      float* to = entering_ + int64_t(r) * columns_;
      for (int other = 0; other < 2; ++other)
        for (int e = 0; e < embedding; ++e) *to++ = summed_[(r ^ other) * padded(embedding) + e];
      for (int other = 0; other < 2; ++other)
        for (int b = 0; b < bins; ++b) *to++ = histogram_[(r ^ other) * bins + b];
      for (int s = 0; s < net_.knots; ++s) *to++ = question.stacks[(first + r / 2) * net_.knots + s];
      *to = float(r % 2);
    }
    const Layer join1{net_.join1.weight, board_.join1_bias, net_.join1.in, net_.join1.out};
    product<true>(rows_, entering_, columns_, join1, hidden_);
    product<true>(rows_, hidden_, net_.join1.out, net_.join2, context_);
    product<false>(rows_, context_, net_.join2.out, net_.slopes, slopes_);
    product<false>(rows_, context_, net_.join2.out, net_.readouts, readout_);
  }

  // COUNT terms of U vectors of hands, added to their values.
  template <int COUNT>
  INLINED void add_terms(int r, int k, int64_t i, Vector* rest) const {
    const float* const slopes = slopes_ + int64_t(r) * net_.slopes.out + k;
    const float* const readout = readout_ + int64_t(r) * net_.readouts.out + k;
    const int size = net_.readout;
    Vector sum[COUNT][U];
    for (int c = 0; c < COUNT; ++c)
      for (int u = 0; u < U; ++u)
        sum[c][u] = at(board_.terms + (k + c) * stride_ + i + u * N) + splat<float>(slopes[kept_ * size + c]);
    const float* numbers = against(r, 0) + i;
    for (int m = 0; m < kept_; ++m, numbers += stride_) {
      Vector number[U];
      for (int u = 0; u < U; ++u) number[u] = at(numbers + u * N);
      for (int c = 0; c < COUNT; ++c) {
        const Vector slope = splat<float>(slopes[m * size + c]);
        for (int u = 0; u < U; ++u) sum[c][u] += slope * number[u];
      }
    }
    for (int c = 0; c < COUNT; ++c)
      for (int u = 0; u < U; ++u) rest[u] += max<float>(sum[c][u], Vector{}) * splat<float>(readout[c]);
  }

  APART void value(int r, float depth) {
    for (int64_t i = 0; i < hands_; i += U * N) {
      Vector rest[U] = {};
      int k = 0;
      for (; k + KEPT <= net_.readout; k += KEPT) add_terms<KEPT>(r, k, i, rest);
      for (; k < net_.readout; ++k) add_terms<1>(r, k, i, rest);
      for (int u = 0; u < U; ++u) {
        const int64_t hand = r * stride_ + i + u * N;
        store<float>(values_ + hand, at(checked_ + hand) + at(fitting_ + hand) * rest[u] * splat<float>(depth));
      }
    }
  }

  // Takes the same from both players' values, for each opponent who fits, so that both add up to 0.
  void write(const Question& question, int first, int q) {
    Vector overs{}, meetings{};
    const int64_t begin = 2 * q * stride_;
    for (int p = 0; p < 2; ++p)
      for (int64_t i = begin + p * stride_; i < begin + p * stride_ + hands_; i += N) {
        overs += at(values_ + i) * at(range_ + i);
        meetings += at(fitting_ + i) * at(range_ + i);
      }
    const float over = total<float>(overs), meeting = total<float>(meetings);
    const float share = meeting > NO_WEIGHT ? over / meeting : 0.0f;
    for (int p = 0; p < 2; ++p) {
      const int r = 2 * q + p;
      const float weight = question.scaled ? brought_[r ^ 1] : 1.0f;
      float* const out = question.values + (int64_t(2 * first) + r) * hands_;
      for (int i = 0; i < hands_; ++i)
        out[board_.sorted[i]] = (values_[r * stride_ + i] - share * fitting_[r * stride_ + i]) * weight;
      if (question.brought) question.brought[2 * first + r] = brought_[r];
    }
  }
};

}  // namespace

void answer(const Net& net, const BoardData& board, const Question& question, void* scratch) {
  const FlushToZero flush;
  Asked asked(net, board, Memory(scratch));
  for (int first = 0; first < question.queries; first += QUERIES_AT_ONCE) {
    const int left = question.queries - first;
    asked.run(question, first, left < QUERIES_AT_ONCE ? left : QUERIES_AT_ONCE);
  }
}

#if ERRAI_VECTOR_BYTES == 16
}  // namespace ERRAI_ISA

// Working memory is laid out for the widest vectors, all of which are powers of two up to a tile.
size_t scratch_bytes(const Net& net, int hands) {
  BoardData board{};
  board.hands = hands;
  return size_t(baseline::Asked(net, board, baseline::Memory(nullptr)).bytes()) + TILE * TILE * sizeof(float);
}

namespace ERRAI_ISA {
#endif

}  // namespace ERRAI_ISA
}  // namespace errai
