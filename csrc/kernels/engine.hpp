// The engine behind errai.kernels.cpu: a tree, its plans, working memory and threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "boards.hpp"
#include "portable.hpp"
#include "tree.hpp"

namespace errai {

// Returns zeroed memory aligned to a cache line; throws std::bad_alloc.
Buffer make_buffer(size_t bytes);

// State arrays of one iteration by [street * 2 + player]; the caller owns them.
struct StateArrays {
  Type type;       // of the regrets: FLOAT32, FLOAT64, or INT16 with scales
  Type sums_type;  // the same, or UINT8 or UINT16 for averages in place of sums if the regrets are INT16
  std::vector<void*> regrets, sums, predicted, frozen;  // predicted and frozen may be empty
  std::vector<float*> scales;                           // empty unless INT16

  // The arrays that the current strategy follows from by regret matching.
  const std::vector<void*>& source() const { return predicted.empty() ? regrets : predicted; }
};

// Returns the same role for every street.
std::vector<Role> everywhere(Role role, int streets);

std::string instruction_set();
std::vector<std::string> instruction_sets();
// Throws std::invalid_argument if this processor lacks it.
void use_instruction_set(const std::string& name);

// Runs a walk with the instruction set in use.
void run_on_active_set(const Job& job);

// Threads that wait for work: they spin for a moment, because the next walk follows soon, and then sleep.
class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Calls function(context, task, thread) for every task below count, at most MAX_TASKS, and returns when all are done.
  // The function must not throw.
  void run(int count, TaskFunction function, void* context);

 private:
  static constexpr uint32_t CLOSED = uint32_t(1) << MAX_TASKS;

  bool work(int thread);
  void serve(int thread);

  std::atomic<uint32_t> open_{0};  // tasks that no thread has taken yet, as bits
  std::atomic<int> count_{0};
  std::atomic<int> done_{0};
  TaskFunction function_ = nullptr;
  void* context_ = nullptr;
  std::vector<std::thread> others_;
  const int process_;
};

// The boards of a street with both players' hands, without bets.
struct Dealt {
  int boards;
  const int32_t* child_start;  // [boards+1]
  Hands hands[2];
};

class Engine {
 public:
  Engine(std::vector<Street> streets, int hole_cards, int num_cards, double tie, const double* reach0,
         const double* reach1, int threads);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Tree& tree() const { return tree_; }
  int threads() const { return threads_; }

  // Replaces the boards, by street, and the root reach; what was planned for the lines stays.  Arrays that are the same
  // objects as in the last call must have the same content, and those of the last call must still be alive.
  void deal(const std::vector<Dealt>& streets, const double* reach0, const double* reach1);

  // Allocates the working memory for values of a type, which the first walk would do otherwise.
  void reserve(Type value_type);

  void iterate(StateArrays& state, const Coefficients* rows, int count, bool weighted);
  // `entering` is both players' reach at the entries of the root's boards, or null for the tree's own root reach; `out`
  // receives the values of these entries, or is null.  Roles are indexed by street.
  void update(StateArrays& state, int player, const Role* roles, const Coefficients& c, bool weighted,
              const double* const* leaf_values, const double* const* entering, double* out);
  // With `tied`, source is read as an iteration reads regrets; otherwise it is a strategy that is evaluated, in
  // float64.
  void leaf_reach(Type type, const std::vector<const void*>& source, bool tied, const double* const* entering,
                  double* const* reach0, double* const* reach1);
  void root_values(Type type, const std::vector<const void*>& strategy, int player, const Role* roles, bool exact,
                   const double* const* leaf_values, const double* const* entering, double* out);
  void board_values(Type type, const std::vector<const void*>& strategy, int player, const Role* roles, int street,
                    int board, const double* const* leaf_values, const double* entering, double* out);

 private:
  friend class PartedEngine;

  struct ThreadMemory {
    std::vector<Buffer> buffers;
    std::vector<void*> opponent, own, values, opponent_exits, own_exits, exit_values;
  };
  // Numbers that a thread's working memory holds: by street, and for all streets.
  struct Room {
    struct OfStreet {
      size_t opponent, own, values, exits;
    };
    std::vector<OfStreet> streets;
    size_t sweep, widest, rows;

    void include(const Room& other);  // takes the larger of both in every field
    bool within(const Room& other) const;
  };

  void weigh_ends(Street& street);
  void lay(Street& street);
  void set_strides(Street& street);
  Room room() const;
  static Scratch make_scratch(const Room& room, size_t bytes, ThreadMemory& memory);
  Job blank(int player, const Role* roles, Type value_type, Type source_type,
            const std::vector<const void*>& source) const;
  void plan(int street, int player);
  int team_size() const;
  bool divided() const;
  const int32_t* keep(std::vector<int32_t> indices);
  Section section(const Street& street, int player, std::vector<int32_t> roots, const std::vector<int32_t>& nodes);
  void divide(int player);
  Job job(int player, const Role* roles, Type value_type, Type source_type, const std::vector<const void*>& source);
  Job learning(StateArrays& state, int player, const Role* roles, bool weighted,
               const std::vector<const void*>& source);
  void run(Job& job);

  std::vector<Street> streets_;
  Tree tree_{};
  int threads_;
  int64_t work_ = 0;  // entries of both players' state, from which follows whether threads pay
  std::vector<std::vector<int32_t>> indices_;
  std::vector<std::vector<Lane>> lanes_;
  std::vector<std::vector<PairEnd>> pairs_;
  std::vector<std::vector<int64_t>> pair_starts_;
  std::vector<std::vector<Section>> sections_;
  std::vector<Boards> boards_;  // by street
  bool dealt_ = true;           // whether the boards are those of the streets
  size_t reserved_size_ = 0;
  std::vector<ThreadMemory> memory_;
  std::vector<Scratch> scratch_;
  Buffer partial_;
  std::unique_ptr<Team> team_;
};

}  // namespace errai
