// The public tree as the kernels see it: borrowed arrays as errai/kernels/layout.py describes them, and the plan that
// is derived from them once.  Nothing here is compiled for a particular instruction set.
#pragma once

#include <cstdint>

namespace errai {

enum Kind : int8_t { DECISION = 0, FOLD = 1, SHOWDOWN = 2, CHANCE = 3, LEAF = 4 };

// Largest number of actions of a node.
constexpr int MAX_ACTIONS = 64;

// Bytes of the lanes that one sweep carries for every hand: a cache line, which is also the widest vector.  More would
// not fit into the first-level cache.
constexpr int LANE_BYTES = 64;

// Offsets of sums by card are stored as multiples of this, because address computation then does the rest of the
// multiplication.
constexpr int PLACE = 8;

// How a class of several hands enters the sums over its player's hands: the weight of one hand counts `size` times in
// the sum of all hands, and `count` times in the sums of cards at `place`, of which there are as many as private cards.
struct Merged {
  uint16_t place[2];
  float count[2];
  float size;
};

// All hands of a player with one strength, and the number of the opponent's hands that are weaker than these but not
// weaker than the player's previous ones.
struct Tie {
  uint16_t weaker;  // hands of the opponent
  uint16_t mine;
  uint16_t equal;  // hands of the opponent as strong as these
};

// Net chips of a player at an end if the player wins, ties or loses.
struct End {
  double win, tie, lose;
};

// What a hand does at a decision: it learns, follows a given strategy, or responds best.
enum class Role : uint8_t { LEARNS = 0, FIXED = 1, BEST = 2 };

// Roles of some hands of a player at some decisions of a street.
struct Locks {
  const int32_t* at;  // [boards * decisions] number of the lock or -1; null if no hand of the player is locked
  const int64_t* role_start;
  const uint8_t* role;  // a Role for each hand
  const int64_t* strategy_start;
  const double* strategy;  // [actions, hands]
};

// Payoffs of pairs of hands at an end that is not a showdown on its board; blocks [own, other] board after board.
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
  const uint8_t* sums;       // [B] number of sums by card, on boards with a class of several hands; 0 on the others
  const Merged* merged;      // [S] for classes on boards with such sums
  const uint16_t*
      place;  // [S, k] positions of a class's cards among the sums of the other player, if that player has them

  int count(int board) const { return int(start[board + 1] - start[board]); }
};

// Terminal nodes whose values depend on the same reach vector of the opponent; -1 if there is none.
struct Lane {
  int32_t slot;
  int32_t fold_node;
  int32_t show_node;
};

// An end that takes its probabilities from a matrix, and the opponent's reach vector that it depends on.
struct PairEnd {
  int32_t slot;
  int32_t node;
};

// Some nodes of a street, divided by what a walk does at them, each list in the order of the nodes.
struct Section {
  const int32_t* roots;  // of the subtrees that the section consists of
  int num_roots;
  const int32_t* decisions;
  int num_decisions;
  const Lane* lanes;
  int num_lanes;
  const PairEnd* pairs;
  int num_pairs;
};

// How the walk for one player stores reach on a street: nodes with the same reach vector share a slot.
struct Plan {
  const int32_t* opponent_slot;  // [n]
  const int32_t* own_slot;       // [n]
  int opponent_slots;
  int own_slots;
  Section whole;
  // For several threads, if a street is the whole tree: subtrees, and the decisions above them.  None if it is small.
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
  int decisions[2];  // nodes at which a player decides
  int boards;
  const int8_t* kind;
  const int8_t* actor;
  const int32_t* first_child;
  const int32_t* num_children;
  const int32_t* row;
  const End* ends;        // [n, 2]
  const int32_t* matrix;  // [n] the number of the matrix of a SHOWDOWN that uses one, else -1; or null
  const PairPayoffs* matrices;
  Locks locks[2];
  const int32_t* child_start;  // [boards+1]
  const int32_t* exit_node;    // [exits]
  const int32_t* leaf_node;    // [leaves]
  const int32_t* decision;     // [n] number of a decision among its actor's
  bool uneven;                 // whether at some showdown a loss is not minus a win, or a tie pays something
  const int64_t* pair_start;   // [boards] offset of a board's block in the matrices; null without matrices
  Hands hands[2];
  int stride[2];  // hands of the largest board, rounded up so that whole vectors fit
  Plan plan[2];   // by the player whom the walk is for

  int64_t block(int player, int board) const { return rows[player] * hands[player].start[board]; }
  const End& end(int node, int player) const { return ends[node * 2 + player]; }
  bool paired(int node) const { return matrix && matrix[node] >= 0; }
};

struct Tree {
  int streets;
  int hole_cards;
  int num_cards;
  double tie;  // regrets up to this count as 0
  const Street* street;
  const double* root_reach[2];
};

// INT16 comes with a scale per decision and board.
enum class Type : int { FLOAT32, FLOAT64, UINT8, UINT16, INT16 };

// Working memory of one thread: for each street the reach and value vectors of one board.
struct Scratch {
  void* const* opponent;        // [streets] -> [opponent_slots, stride of the opponent]
  void* const* own;             // [streets] -> [own_slots, own stride]
  void* const* values;          // [streets] -> [nodes, own stride]
  void* const* opponent_exits;  // [streets] -> reach at the exits, transposed to lanes [stride of the opponent, exits]
  void* const* own_exits;       // [streets] -> the same of the own reach
  void* const* exit_values;     // [streets] -> values at the exits, in lanes
  void* lanes;                  // memory for transposed reach, partial sums and card sums
  void* places[2];              // by player, cards as offsets for addresses
  void* zeros;                  // one row of zeros
  void* rows;                   // the rows of one node, [most actions, stride]
};

class Team;

// A player's hands on the boards of a street in buckets, whose columns replace those of hands in strategy tables.
struct Buckets {
  int64_t count;              // columns of the tables
  const int64_t* live_start;  // [B+1]
  const int32_t* live;        // per board the buckets of its hands, all different
  const int32_t* place;       // [S] position of a class's bucket among the live buckets of its board
  const void* weight;  // [S] in the type of the walk: the weight of a class in the sums of its bucket; null for 1
};

// A walk in which strategies are tables [rows, buckets]; arrays are indexed by [street * 2 + player].  The tables that
// are read are the job's source.  On streets where the player responds best, nothing is mixed or learnt.
struct BucketTables {
  const Buckets* buckets;
  void* const* regrets;  // of the player whom the walk is for: new regrets are added here
  void* const* sums;     // strategy sums for the average, or null: of that player, or of the other one
  bool others_average;   // whether they are the other player's
  double regret_weight, sum_weight;
  bool floor;                    // whether regrets below 0 are set to 0
  const uint16_t* const* given;  // null, or the other player's strategy hand by hand, laid out by boards; null for
                                 // streets on which that player follows the source
  uint16_t* const* choices;      // null, or arrays in the same layout that receive best responses
};

// Coefficients of an iteration; see COEFFICIENTS in errai/kernels/protocol.py.
struct Coefficients {
  double positive, negative, average, weight, prediction, share, foresight, dither;
};

// One walk over the tree (or over one board and everything below it) for one player.
struct Job {
  const Tree* tree;
  int player;
  const Role* roles;  // [street] of the player's hands; those that learn need arrays to learn in
  Type value_type;    // of reach, values and sums: FLOAT32 or FLOAT64
  Type source_type;   // of the arrays that strategies follow from by regret matching
  // All arrays are indexed by [street * 2 + player].
  const void* const* source;
  float* const* scales;    // of INT16 regrets, [boards, decisions]
  void* const* regrets;    // null if nothing is learnt
  void* const* sums;       // averages if regrets are INT16
  Type sums_type;          // the type of regrets, or UINT8 or UINT16 if that is INT16
  void* const* predicted;  // null unless the variant predicts
  Coefficients coefficients;
  bool weighted;
  bool tied;                         // whether regrets up to the tree's tie count as 0
  bool halves;                       // whether sweeps over hands use vectors of half the width
  const double* const* leaf_values;  // [street], of the player whom the walk is for, or null
  double* const* leaf_reach[2];      // [player][street]; if not null, the walk only goes down and writes reach here
  // The walk starts at boards first_board to last_board - 1 of a street, one after another.
  int street, first_board, last_board;
  const double* entering[2];  // [player] reach [entries, hands] for each of these boards; null means ones
  double* out;                // receives the values of each board's first nodes [out_nodes, hands], or null
  int out_nodes;
  // The entries of this tree may be some of those of a larger tree.  What enters and `out` are then blocks
  // [all_entries, hands], of which this tree has those from first_entry on. all_entries is 0 if the tree has all
  // entries.
  int first_entry, all_entries;
  const BucketTables* tables;  // null if every hand has a strategy of its own
  // Threads: scratch[t] belongs to thread t of the team; partial holds [chunks, own stride, exits].
  Team* team;
  const Scratch* scratch;
  void* partial;

  bool only_down() const { return leaf_reach[0] != nullptr; }
};

// Number of chunks in which the children of the root are walked, whatever the number of threads: their sums are added
// in order.
constexpr int CHUNKS = 24;
constexpr int MAX_TASKS = 31;

using TaskFunction = void (*)(void* context, int task, int thread);
// Calls function(context, task, thread) for every task below count, at most MAX_TASKS, on the threads of the team.
void run_tasks(Team* team, int count, TaskFunction function, void* context);

// The same source compiled for several instruction sets; see walk.cpp and bucket_walk.cpp.
#define ERRAI_WALKS         \
  void run(const Job& job); \
  void run_over_buckets(const Job& job);
namespace baseline {
ERRAI_WALKS
}
#if defined(__x86_64__)
namespace avx2 {
ERRAI_WALKS
}
namespace avx512 {
ERRAI_WALKS
}
#endif
#undef ERRAI_WALKS

}  // namespace errai
