#include "parted.hpp"

#include <algorithm>

namespace errai {

namespace {

std::vector<double*> pointers(std::vector<std::vector<double>>& arrays) {
  std::vector<double*> list;
  for (auto& array : arrays) list.push_back(array.data());
  return list;
}

}  // namespace

PartedEngine::PartedEngine(std::vector<Street> trunk, std::vector<std::vector<Street>> parts, int cut, int hole_cards,
                           int num_cards, int threads)
    : cut_(cut), threads_(std::max(1, threads)) {
  engines_.push_back(std::make_unique<Engine>(std::move(trunk), hole_cards, num_cards, 0.0, nullptr, nullptr, 1));
  int first = 0;
  for (std::vector<Street>& part : parts) {
    first_entry_.push_back(first);
    first += part.front().entries;
    engines_.push_back(std::make_unique<Engine>(std::move(part), hole_cards, num_cards, 0.0, nullptr, nullptr, 1));
  }
  threads_ = std::min<int>(threads_, std::max<int>(1, int(parts.size())));
  team_ = std::make_unique<Team>(threads_);
}

void PartedEngine::deal(const std::vector<Dealt>& streets) {
  for (size_t e = 0; e < engines_.size(); ++e) {
    const auto count = std::ptrdiff_t(engines_[e]->streets_.size());
    const auto first = streets.begin() + (e == 0 ? 0 : edge());
    std::vector<Dealt> own(first, first + count);
    // The trunk has no boards below its last street.
    if (e == 0 && engines_.size() > 1) {
      childless_.assign(size_t(own.back().boards) + 1, 0);
      own.back().child_start = childless_.data();
    }
    engines_[e]->deal(own, nullptr, nullptr);
  }
  for (auto* arrays : {&leaf_reach_[0], &leaf_reach_[1], &leaf_values_})
    arrays->assign(engines_[0]->streets_.size(), {});
  const Street& last = engines_[0]->streets_.back();
  for (int p = 0; p < 2; ++p) {
    const size_t size = size_t(last.leaves) * size_t(last.hands[p].start[last.boards]);
    leaf_reach_[p].back().resize(size);
    leaf_values_.back().resize(std::max(size, leaf_values_.back().size()));
  }
  Engine::Room needed{{}, 0, 0, 0};
  for (const auto& engine : engines_) needed.include(engine->room());
  if (needed.within(room_)) return;
  room_.include(needed);
  room_bytes_ = 0;
}

void PartedEngine::reserve(size_t bytes) {
  if (bytes <= room_bytes_) return;
  memory_.clear();
  scratch_.clear();
  memory_.resize(size_t(threads_));
  for (Engine::ThreadMemory& memory : memory_) scratch_.push_back(Engine::make_scratch(room_, bytes, memory));
  room_bytes_ = bytes;
}

struct PartedEngine::Task {
  PartedEngine* self;
  int tasks;
  const Job* job;  // the settings that all parts share
};

void PartedEngine::part_task(void* context, int task, int thread) {
  const Task& work = *static_cast<Task*>(context);
  PartedEngine& self = *work.self;
  const int all = self.engines_[0]->streets_.back().leaves;
  for (size_t e = 1 + size_t(task); e < self.engines_.size(); e += size_t(work.tasks)) {
    if (self.skipped_[e - 1]) continue;
    const Engine& engine = *self.engines_[e];
    Job job = *work.job;
    job.tree = &engine.tree_;
    job.scratch = &self.scratch_[size_t(thread)];
    job.last_board = engine.streets_.front().boards;
    job.out_nodes = engine.streets_.front().entries;
    job.first_entry = self.first_entry_[e - 1];
    job.all_entries = all;
    run_on_active_set(job);
  }
}

void PartedEngine::walk(int player, const Role* roles, Type type, const std::vector<const void*>& source,
                        const BucketTables& tables, double tie, bool prune, const double* reach0, const double* reach1,
                        double* out) {
  reserve(type == Type::FLOAT64 ? 8 : 4);
  Engine& trunk = *engines_[0];
  Job job = trunk.blank(player, roles, type, type, source);
  for (auto& engine : engines_) engine->tree_.tie = tie;
  job.tables = &tables;
  job.scratch = scratch_.data();
  job.tied = true;
  job.entering[0] = reach0;
  job.entering[1] = reach1;
  if (engines_.size() > 1) {
    const int last = edge();
    std::vector<double*> reach[2] = {pointers(leaf_reach_[0]), pointers(leaf_reach_[1])};
    const std::vector<double*> values = pointers(leaf_values_);
    Job down = job;
    down.leaf_reach[0] = reach[0].data();
    down.leaf_reach[1] = reach[1].data();
    run_on_active_set(down);

    // Arrays are indexed by street and player; a part's begin with the street before the cut.
    BucketTables below = tables;
    const auto from_edge = [&](auto* arrays) { return arrays ? arrays + last * 2 : nullptr; };
    below.buckets = from_edge(tables.buckets);
    below.regrets = from_edge(tables.regrets);
    below.sums = from_edge(tables.sums);
    below.given = from_edge(tables.given);
    below.choices = from_edge(tables.choices);
    Job part = job;
    part.tables = &below;
    part.source = source.data() + last * 2;
    part.roles = roles + last;
    // If there is no own reach, nothing reads it.
    for (int p = 0; p < 2; ++p) part.entering[p] = reach[p][size_t(last)];
    part.out = values[size_t(last)];

    const Street& closed = trunk.streets_.back();
    skipped_.assign(engines_.size() - 1, 0);
    for (size_t e = 1; prune && e < engines_.size(); ++e) {
      const Hands& hands = closed.hands[1 - player];
      const int first = first_entry_[e - 1], count = engines_[e]->streets_.front().entries;
      bool reached = false;
      for (int b = 0; b < closed.boards && !reached; ++b) {
        const double* block =
            part.entering[1 - player] + closed.leaves * hands.start[b] + int64_t(first) * hands.count(b);
        reached = std::any_of(block, block + int64_t(count) * hands.count(b), [](double r) { return r != 0; });
      }
      if (reached) continue;
      skipped_[e - 1] = 1;
      ++pruned_;
      const Hands& mine = closed.hands[player];
      for (int b = 0; b < closed.boards; ++b) {
        double* block = part.out + closed.leaves * mine.start[b] + int64_t(first) * mine.count(b);
        std::fill(block, block + int64_t(count) * mine.count(b), 0.0);
      }
    }
    Task task{this, std::min<int>(MAX_TASKS, int(engines_.size()) - 1), &part};
    run_tasks(team_.get(), task.tasks, &PartedEngine::part_task, &task);
    const std::vector<const double*> leaves(values.begin(), values.end());
    job.leaf_values = leaves.data();
    job.out = out;
    run_on_active_set(job);
    return;
  }
  job.out = out;
  run_on_active_set(job);
}

}  // namespace errai
