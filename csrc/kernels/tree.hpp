// The public tree as the kernels see it: borrowed arrays, the same as errai/kernels/layout.py describes, and the plan
// that is derived from them once.  Nothing here is compiled for a particular instruction set.
#pragma once

#include <cstdint>

namespace errai {

enum Kind : int8_t { DECISION = 0, FOLD = 1, SHOWDOWN = 2, CHANCE = 3, LEAF = 4 };

// Most actions of a node that there is room for.
constexpr int MAX_ACTIONS = 64;

// Bytes of the lanes that one sweep carries for every hand: a cache line, which is also the widest vector. More would not
// fit into the nearest cache.
constexpr int LANE_BYTES = 64;

// Sums by card are found by multiples of this: addressing does the rest of the multiplication.
constexpr int PLACE = 8;

// How a class of several hands enters the sums over its player's hands: what each of its hands weighs counts `size`
// times in the sum of all, and `count` times in the sums of cards at `place`, of which there are as many as private cards.
struct Merged {
  uint16_t place[2];
  float count[2];
  float size;
};

// Some hands of a player that are equally strong, all there are of that strength, after the opponent's hands that are
// weaker than these and not weaker than those before.
struct Tie {
  uint16_t weaker;  // hands of the opponent
  uint16_t mine;
  uint16_t equal;  // hands of the opponent as strong as these
};

// Net chips of a player at an end where he wins, ties and loses.
struct End {
  double win, tie, lose;
};

// What a hand does at a decision: learns, follows the strategy that is given for it, or responds best.
enum class Role : uint8_t { LEARNS = 0, FIXED = 1, BEST = 2 };

// What some hands of a player do at some decisions of a street, whatever all others learn.
struct Locks {
  const int32_t* at;  // [boards * decisions] number of the lock or -1; null where no hand of the player is locked
  const int64_t* role_start;
  const uint8_t* role;  // a Role for each hand
  const int64_t* strategy_start;
  const double* strategy;  // [actions, hands]
};

// What pairs of hands are worth at an end that is no showdown on its board; blocks [own, other] board after board.
struct PairPayoffs {
  const double* margin[2];
  const double* tie[2];  // or null
};

struct Hands {
  const int64_t* start;         // [B+1]
  const uint8_t* cards;         // [S, k]
  const int32_t* parent;        // [S]
  const double* up_weight;      // [S]
  const int32_t* rank;          // [S]
  const int32_t* twin;          // [S]
  const int64_t* member_start;  // [S+1]
  const uint8_t* member_cards;  // [M, k]
  // Derived, see boards.hpp.
  const int64_t* tie_start;  // [B+1], on streets with showdowns
  const Tie* ties;           // per board, in order of strength
  const uint8_t* sums;    // [B] sums of cards, on boards where some class is of several hands; 0 on the others
  const Merged* merged;   // [S] of classes on boards with such sums
  const uint16_t* place;  // [S, k] of a class's cards among the sums of the other player, where that one has them

  int count(int board) const { return int(start[board + 1] - start[board]); }
};

// Terminal nodes whose value depends on one and the same reach vector of the opponent; -1 where there is none.
struct Lane {
  int32_t slot;
  int32_t fold_node;
  int32_t show_node;
};

// An end that takes its chances from a matrix, and the reach vector of the opponent that it depends on.
struct PairEnd {
  int32_t slot;
  int32_t node;
};

// Some nodes of a street: what a walk over them comes to, in the order of the nodes.
struct Section {
  const int32_t* roots;  // of the subtrees that it is made of
  int num_roots;
  const int32_t* decisions;
  int num_decisions;
  const Lane* lanes;
  int num_lanes;
  const PairEnd* pairs;
  int num_pairs;
};

// How the walk for one player stores reach on a street: nodes that share a reach vector share a slot.
struct Plan {
  const int32_t* opponent_slot;  // [n]
  const int32_t* own_slot;       // [n]
  int opponent_slots;
  int own_slots;
  Section whole;
  // A street that is all of a tree, for several threads: subtrees, and the decisions above them. None if it is small.
  Section top;
  const Section* sections;
  int num_sections;
};

struct Street {
  int nodes;
  int entries;
  int exits;
  int leaves;
  int rows[2];
  int decisions[2];         // nodes at which a player decides
  int boards;
  const int8_t* kind;
  const int8_t* actor;
  const int32_t* first_child;
  const int32_t* num_children;
  const int32_t* row;
  const End* ends;             // [n, 2]
  const int32_t* matrix;       // [n] of SHOWDOWNs that take their chances from a matrix its number, else -1; or null
  const PairPayoffs* matrices;
  Locks locks[2];
  const int32_t* child_start;  // [boards+1]
  const int32_t* exit_node;    // [exits]
  const int32_t* leaf_node;    // [leaves]
  const int32_t* decision;     // [n] number of a decision among its actor's
  bool uneven;  // whether at some showdown a loss is not what a win is, or a tie is worth something
  const int64_t* pair_start;   // [boards] where a board's block begins in the matrices; null without any
  Hands hands[2];
  int stride[2];  // hands of the largest board, rounded up so that whole vectors fit
  Plan plan[2];   // by the player who is walked for

  int64_t block(int player, int board) const { return rows[player] * hands[player].start[board]; }
  const End& end(int node, int player) const { return ends[node * 2 + player]; }
  bool paired(int node) const { return matrix && matrix[node] >= 0; }
};

struct Tree {
  int streets;
  int hole_cards;
  int num_cards;
  double tie;  // regrets up to this count as none
  const Street* street;
  const double* root_reach[2];
};

// INT16 comes with a scale per decision and board.
enum class Type : int { FLOAT32, FLOAT64, UINT16, INT16 };

// Working memory of one thread: for each street the reach and value vectors of one board.
struct Scratch {
  void* const* opponent;  // [streets] -> [opponent_slots, stride of the opponent]
  void* const* own;       // [streets] -> [own_slots, own stride]
  void* const* values;    // [streets] -> [nodes, own stride]
  void* const* opponent_exits;  // [streets] -> reach at the exits, turned into lanes [stride of the opponent, exits]
  void* const* own_exits;       // [streets] -> the same of the own reach
  void* const* exit_values;     // [streets] -> values at the exits, in lanes
  void* lanes;            // room for transposed reach, partial sums and card sums
  void* places[2];        // by player, cards in a form that addresses are made of
  void* zeros;            // one row of zeros
  void* rows;             // the rows of one node, [most actions, stride]
};

class Team;

// The hands of a player on the boards of a street in buckets, which stand for hands in the tables of a strategy.
struct Buckets {
  int64_t count;              // columns of the tables
  const int64_t* live_start;  // [B+1]
  const int32_t* live;        // per board the buckets that its hands lie in, no two equal
  const int32_t* place;       // [S] at which of its board's live buckets a hand class is
  const void* weight;         // [S] in the type of the walk: what a class counts in the sums of its bucket; null for 1
};

// A walk in which strategies are tables [rows, buckets]; the arrays go by [street * 2 + player].  The tables that are
// read are the job's source.  Where the player walked for responds best he neither mixes nor learns.
struct BucketTables {
  const Buckets* buckets;
  void* const* regrets;           // of the player walked for: what is learnt is added here
  void* const* sums;              // what averages are made of, or null: of the player walked for, or of the other one
  bool others_average;            // whose
  double regret_weight, sum_weight;
  bool floor;                     // regrets below 0 become 0
  const uint16_t* const* given;   // null, or the other player's strategy hand by hand, laid out as by boards; null for
                                  // streets on which he follows the source
  uint16_t* const* choices;       // null, or where best responses go, laid out likewise
};

// How an iteration scales what it adds to; see COEFFICIENTS in errai/kernels/protocol.py.
struct Coefficients {
  double positive, negative, average, weight, prediction, share, foresight, dither;
};

// One walk over the tree (or over one board and what is below) for one player.
struct Job {
  const Tree* tree;
  int player;
  const Role* roles;  // [street] of his hands; those that learn need arrays to learn in
  Type value_type;   // of reach, values and sums: FLOAT32 or FLOAT64
  Type source_type;  // of what strategies are matched to
  // All by [street * 2 + player].
  const void* const* source;
  float* const* scales;    // of INT16 regrets, [boards, decisions]
  void* const* regrets;    // null where nothing is learnt
  void* const* sums;       // UINT16 averages beside INT16 regrets
  void* const* predicted;  // null unless the variant predicts
  Coefficients coefficients;
  bool weighted;
  bool tied;  // whether regrets up to the tree's tie count as none
  bool halves;  // whether sweeps over hands go in vectors of half the width
  const double* const* leaf_values;  // [street], of the player walked for, or null
  double* const* leaf_reach[2];      // [player][street]; null, or the walk only goes down and writes reach here
  // Where the walk starts, and with what: boards first to last - 1 of a street, one after the other.
  int street, first_board, last_board;
  const double* entering[2];  // [player], for each of these boards [entries, hands]; null means ones
  double* out;                // for each of them the values of its first nodes [out_nodes, hands], or null
  int out_nodes;
  // Entries of this tree may be some of those of a larger one: what enters and `out` are then blocks [all_entries, hands], of
  // which the tree has those from first_entry on.  0 where the entries are all there are.
  int first_entry, all_entries;
  const BucketTables* tables;  // null where strategies are held hand by hand
  // Threads: scratch[t] belongs to thread t of the team; partial holds [chunks, own stride, exits].
  Team* team;
  const Scratch* scratch;
  void* partial;

  bool only_down() const { return leaf_reach[0] != nullptr; }
};

// The children of the root are walked in so many chunks, whatever the number of threads: their sums are added in order.
constexpr int CHUNKS = 24;
constexpr int MAX_TASKS = 31;

using TaskFunction = void (*)(void* context, int task, int thread);
// Calls function(context, task, thread) for every task below count, at most MAX_TASKS, on the threads of the team.
void run_tasks(Team* team, int count, TaskFunction function, void* context);

// The same source compiled for several instruction sets; see walk.cpp and bucket_walk.cpp.
#define ERRAI_WALKS void run(const Job& job); void run_over_buckets(const Job& job);
namespace baseline { ERRAI_WALKS }
#if defined(__x86_64__)
namespace avx2 { ERRAI_WALKS }
namespace avx512 { ERRAI_WALKS }
#endif
#undef ERRAI_WALKS

}  // namespace errai
