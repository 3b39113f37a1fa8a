#include "engine.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "processor.hpp"

namespace errai {

namespace {

constexpr int MOST_PLACES = 2 * sizeof(uint16_t);         // bytes of a hand's places; see terminals.cpp
constexpr int PADDING = LANE_BYTES / int(sizeof(float));  // hands; a whole vector of the widest instruction set
constexpr int DIVIDED_LANES = 128;  // lanes of a single board below which dividing it leaves too many lanes empty
constexpr int64_t THREADED_WORK = 20'000;  // entries below which threads cost more by waiting than they save

struct InstructionSet {
  const char* name;
  void (*run)(const Job&);
  void (*run_over_buckets)(const Job&);
  bool halves;
  bool (*supported)();
};

// The AVX-512 code is listed twice, once with sweeps in vectors of half the width: adding 512 bits to what was just
// stored takes AMD's processors (Zen 5) more than twice as long as adding 256.
const InstructionSet SETS[] = {
#if defined(__x86_64__)
    {"avx512", avx512::run, avx512::run_over_buckets, false, has_avx512},
    {"avx512-256", avx512::run, avx512::run_over_buckets, true, has_avx512},
    {"avx2", avx2::run, avx2::run_over_buckets, false, has_avx2},
#endif
    {"baseline", baseline::run, baseline::run_over_buckets, false, [] { return true; }},
};

// Returns the sets that this processor has, the fastest first.
std::vector<const InstructionSet*> sets_here() {
  std::vector<const InstructionSet*> sets;
  for (const auto& set : SETS)
    if (set.supported()) sets.push_back(&set);
#if defined(__x86_64__)
  if (__builtin_cpu_is("amd") && sets.size() > 1 && sets[1]->halves) std::swap(sets[0], sets[1]);
#endif
  return sets;
}

const InstructionSet* active_set = sets_here().front();

constexpr int SPINS = 2000;  // about a tenth of a millisecond

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

std::vector<Role> everywhere(Role role, int streets) { return std::vector<Role>(size_t(streets), role); }

std::string instruction_set() { return active_set->name; }

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet* set : sets_here()) names.push_back(set->name);
  return names;
}

void use_instruction_set(const std::string& name) {
  for (const InstructionSet* set : sets_here())
    if (name == set->name) {
      active_set = set;
      return;
    }
  throw std::invalid_argument("this processor has no instruction set '" + name + "'");
}

Buffer make_buffer(size_t bytes) {
  // Vectors read whole cache lines, so all of the last one is zero as well.
  const size_t whole = (std::max<size_t>(bytes, 1) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  Buffer memory = aligned_buffer(whole);
  std::memset(memory.get(), 0, whole);
  return memory;
}

Team::Team(int threads) : process_(process_number()) {
  for (int t = 1; t < threads; ++t) {
    try {
      others_.emplace_back([this, t] { serve(t); });
    } catch (const std::system_error&) {
      break;  // no more threads can be started, so those that run do the work
    }
  }
}

Team::~Team() {
  open_.store(CLOSED, std::memory_order_release);
  open_.notify_all();
  // In a forked process the other threads do not exist, and the remaining one has worked without them.
  for (auto& thread : others_) process_ == process_number() ? thread.join() : thread.detach();
}

void Team::run(int count, TaskFunction function, void* context) {
  if (others_.empty()) {
    for (int task = 0; task < count; ++task) function(context, task, 0);
    return;
  }
  function_ = function;
  context_ = context;
  count_.store(count, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  open_.store((uint32_t(1) << count) - 1, std::memory_order_release);
  open_.notify_all();
  while (work(0)) {
  }
  for (int spins = 0; done_.load(std::memory_order_acquire) < count; ++spins)
    spins < SPINS ? pause() : std::this_thread::yield();
}

// Takes a task and runs it; returns false if none is open.  Every thread begins its search at a position of its own, so
// that from walk to walk it mostly takes tasks whose data is in its caches.
bool Team::work(int thread) {
  uint32_t open = open_.load(std::memory_order_acquire);
  while (open != 0 && open != CLOSED) {
    const int first = count_.load(std::memory_order_relaxed) * thread / int(others_.size() + 1);
    const uint32_t ahead = open >> first << first;
    const int task = __builtin_ctz(ahead ? ahead : open);
    const uint32_t bit = uint32_t(1) << task;
    open = open_.fetch_and(~bit, std::memory_order_acq_rel);
    if (open & bit && open != CLOSED) {
      // run() does not return before this task is done, so the function and context read here belong to it.
      function_(context_, task, thread);
      done_.fetch_add(1, std::memory_order_release);
      return true;
    }
  }
  return false;
}

void Team::serve(int thread) {
  for (int spins = 0;;) {
    if (work(thread)) {
      spins = 0;
      continue;
    }
    const uint32_t open = open_.load(std::memory_order_acquire);
    if (open == CLOSED) return;
    if (open != 0) continue;
    // The next tasks of an iteration follow within microseconds, which is sooner than a sleeping thread would wake up.
    if (++spins < SPINS) pause();
    else open_.wait(0, std::memory_order_acquire);
  }
}

void run_tasks(Team* team, int count, TaskFunction function, void* context) { team->run(count, function, context); }

Engine::Engine(std::vector<Street> streets, int hole_cards, int num_cards, double tie, const double* reach0,
               const double* reach1, int threads)
    : streets_(std::move(streets)), threads_(std::max(1, threads)) {
  tree_ = Tree{int(streets_.size()), hole_cards, num_cards, tie, streets_.data(), {reach0, reach1}};
  boards_.resize(streets_.size());
  for (int s = 0; s < tree_.streets; ++s) {
    Street& street = streets_[s];
    std::vector<int32_t> exits, leaves, decision(size_t(street.nodes), -1);
    street.decisions[0] = street.decisions[1] = 0;
    for (int node = 0; node < street.nodes; ++node) {
      if (street.kind[node] == DECISION) decision[node] = street.decisions[int(street.actor[node])]++;
      if (street.kind[node] == CHANCE) exits.push_back(node);
      if (street.kind[node] == LEAF) leaves.push_back(node);
    }
    street.exit_node = keep(std::move(exits));
    street.leaf_node = keep(std::move(leaves));
    street.decision = keep(std::move(decision));
    weigh_ends(street);
    lay(street);
    for (int p = 0; p < 2; ++p) plan(s, p);
  }
  const bool one_board = streets_.size() == 1 && !streets_[0].exits && !streets_[0].leaves;
  if (one_board && team_size() > 1)
    for (int p = 0; p < 2; ++p) divide(p);
  if (!divided()) threads_ = 1;
  team_ = std::make_unique<Team>(team_size());
}

// Derives from the payoffs of a street's ends whether they are uneven, and the offsets of its boards in matrices.
void Engine::weigh_ends(Street& street) {
  street.uneven = false;
  for (int node = 0; node < street.nodes; ++node)
    for (int p = 0; p < 2 && street.kind[node] == SHOWDOWN && !street.paired(node); ++p)
      street.uneven |= street.end(node, p).win != -street.end(node, p).lose || street.end(node, p).tie != 0.0;
  if (!street.matrix) return;
  std::vector<int64_t> starts;
  int64_t start = 0;
  for (int b = 0; b < street.boards; ++b) {
    starts.push_back(start);
    start += int64_t(street.hands[0].count(b)) * street.hands[1].count(b);
  }
  pair_starts_.push_back(std::move(starts));
  street.pair_start = pair_starts_.back().data();
}

// Derives the data of boards.hpp from the boards of a street.
void Engine::lay(Street& street) {
  boards_[size_t(&street - streets_.data())].lay(street, tree_.hole_cards, tree_.num_cards);
  set_strides(street);
}

// Sets the width of rows on a street, and adds the street to the estimate of the work.
void Engine::set_strides(Street& street) {
  for (int p = 0; p < 2; ++p) {
    int largest = 0;
    for (int b = 0; b < street.boards; ++b) largest = std::max(largest, street.hands[p].count(b));
    // The stride is an odd number of whole vectors, because rows a power of two apart would share cache sets.
    street.stride[p] = ((largest + PADDING - 1) / PADDING | 1) * PADDING;
    work_ += street.rows[p] * street.hands[p].start[street.boards];
  }
}

namespace {

bool same_arrays(const Hands& a, const Hands& b) {
  return a.start == b.start && a.cards == b.cards && a.parent == b.parent && a.up_weight == b.up_weight &&
         a.rank == b.rank && a.twin == b.twin && a.member_start == b.member_start && a.member_cards == b.member_cards;
}

}  // namespace

void Engine::deal(const std::vector<Dealt>& streets, const double* reach0, const double* reach1) {
  const bool known = std::exchange(dealt_, false);  // stays false if dealing fails halfway
  work_ = 0;
  tree_.root_reach[0] = reach0;
  tree_.root_reach[1] = reach1;
  for (size_t s = 0; s < streets_.size(); ++s) {
    Street& street = streets_[s];
    const Dealt& now = streets[s];
    // The hands of the first street are the same in every deal.
    const bool again = known && street.boards == now.boards && same_arrays(street.hands[0], now.hands[0]) &&
                       same_arrays(street.hands[1], now.hands[1]);
    street.boards = now.boards;
    street.child_start = now.child_start;
    if (again) {
      set_strides(street);
      continue;
    }
    for (int p = 0; p < 2; ++p) street.hands[p] = now.hands[p];
    lay(street);
  }
  dealt_ = true;
}

// Returns whether a second thread has anything to do.
bool Engine::divided() const {
  const Street& root = streets_.front();
  return root.child_start[root.boards] > 0 || root.plan[0].num_sections > 0 || root.plan[1].num_sections > 0;
}

// Numbers the reach vectors of the walk for `player`: a decision of the other player starts new vectors of the
// opponent's reach, and an own decision starts new vectors of the own reach.
void Engine::plan(int s, int player) {
  Street& street = streets_[s];
  std::vector<int32_t> opponent(street.nodes, 0), own(street.nodes, 0), all(street.nodes);
  int opponent_slots = street.entries, own_slots = street.entries;
  for (int node = 0; node < street.entries; ++node) opponent[node] = own[node] = node;
  for (int node = 0; node < street.nodes; ++node) {
    all[node] = node;
    if (street.kind[node] != DECISION) continue;
    const bool mine = street.actor[node] == player;
    for (int a = 0; a < street.num_children[node]; ++a) {
      const int child = street.first_child[node] + a;
      opponent[child] = mine ? opponent[node] : opponent_slots++;
      own[child] = mine ? own_slots++ : own[node];
    }
  }
  Plan& plan = street.plan[player];
  plan.opponent_slot = keep(std::move(opponent));
  plan.own_slot = keep(std::move(own));
  plan.opponent_slots = opponent_slots;
  plan.own_slots = own_slots;
  plan.whole = section(street, player, {}, all);
  plan.top = plan.whole;
  plan.sections = nullptr;
  plan.num_sections = 0;
}

const int32_t* Engine::keep(std::vector<int32_t> indices) {
  indices_.push_back(std::move(indices));
  return indices_.back().data();
}

// Lists the work at some nodes, which ascend.
Section Engine::section(const Street& street, int player, std::vector<int32_t> roots,
                        const std::vector<int32_t>& nodes) {
  const Plan& plan = street.plan[player];
  std::vector<int32_t> decisions;
  std::vector<Lane> lanes;
  std::vector<PairEnd> pairs;
  // By slot: its lanes, and how many of them have a fold or a showdown; the first lane that lacks one gets the next.
  std::vector<std::vector<int32_t>> of_slot(size_t(plan.opponent_slots));
  std::vector<int32_t> folds(of_slot.size(), 0), shows(of_slot.size(), 0);
  for (const int node : nodes) {
    if (street.kind[node] == DECISION) decisions.push_back(node);
    if (street.kind[node] != FOLD && street.kind[node] != SHOWDOWN) continue;
    const int32_t slot = plan.opponent_slot[node];
    const bool paired = street.paired(node);
    if (paired) pairs.push_back(PairEnd{slot, node});
    // The part that is the same for all compatible pairs of hands is paid as at a fold.
    if (paired && street.end(node, player).win + street.end(node, player).lose == 0.0) continue;
    const bool fold = street.kind[node] == FOLD || paired;
    const size_t number = size_t((fold ? folds : shows)[size_t(slot)]++);
    std::vector<int32_t>& own = of_slot[size_t(slot)];
    if (number == own.size()) {
      own.push_back(int32_t(lanes.size()));
      lanes.push_back(Lane{slot, -1, -1});
    }
    Lane& lane = lanes[size_t(own[number])];
    (fold ? lane.fold_node : lane.show_node) = node;
  }
  // Lanes that need a showdown come first, so that groups without one skip its sweep.
  std::stable_sort(lanes.begin(), lanes.end(),
                   [](const Lane& a, const Lane& b) { return (a.show_node >= 0) > (b.show_node >= 0); });
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const PairEnd& a, const PairEnd& b) { return street.matrix[a.node] < street.matrix[b.node]; });
  Section section{nullptr, int(roots.size()), nullptr, int(decisions.size()),
                  nullptr, int(lanes.size()), nullptr, int(pairs.size())};
  section.roots = keep(std::move(roots));
  section.decisions = keep(std::move(decisions));
  lanes_.push_back(std::move(lanes));
  section.lanes = lanes_.back().data();
  pairs_.push_back(std::move(pairs));
  section.pairs = pairs_.back().data();
  return section;
}

// Cuts the betting tree of the only street into about equal parts, one for each thread.  The largest subtree is cut at
// its root until none is too large for an even division.
void Engine::divide(int player) {
  Street& street = streets_.front();
  Plan& plan = street.plan[player];
  if (plan.whole.num_lanes < DIVIDED_LANES) return;
  std::vector<int32_t> size(street.nodes, 1), top, subtrees;
  for (int node = street.nodes - 1; node >= 0; --node)
    for (int a = 0; a < street.num_children[node]; ++a) size[node] += size[street.first_child[node] + a];
  for (int node = 0; node < street.entries; ++node) subtrees.push_back(node);
  const auto larger = [&](int32_t a, int32_t b) { return size[a] != size[b] ? size[a] > size[b] : a < b; };
  while (size[subtrees.front()] * 4 * threads_ > street.nodes && street.kind[subtrees.front()] == DECISION) {
    const int32_t largest = subtrees.front();
    subtrees.erase(subtrees.begin());
    top.push_back(largest);
    for (int a = 0; a < street.num_children[largest]; ++a) subtrees.push_back(street.first_child[largest] + a);
    std::sort(subtrees.begin(), subtrees.end(), larger);
  }
  std::vector<std::vector<int32_t>> shares(size_t(std::min(threads_, MAX_TASKS)));
  std::vector<int> load(shares.size(), 0);
  for (const int32_t root : subtrees) {
    const size_t least = size_t(std::min_element(load.begin(), load.end()) - load.begin());
    load[least] += size[root];
    shares[least].push_back(root);
  }
  std::vector<Section> sections;
  for (const std::vector<int32_t>& roots : shares) {
    std::vector<int32_t> nodes = roots;
    for (size_t i = 0; i < nodes.size(); ++i)
      for (int a = 0; a < street.num_children[nodes[i]]; ++a) nodes.push_back(street.first_child[nodes[i]] + a);
    std::sort(nodes.begin(), nodes.end());
    if (!nodes.empty()) sections.push_back(section(street, player, roots, nodes));
  }
  std::sort(top.begin(), top.end());
  plan.top = section(street, player, {}, top);
  plan.num_sections = int(sections.size());
  sections_.push_back(std::move(sections));
  plan.sections = sections_.back().data();
}

namespace {

// Returns the number of values that the exits of a board take as lanes, in vectors of any width.
size_t exit_room(const Street& street) {
  const size_t lanes = (size_t(street.exits) + PADDING - 1) / PADDING * PADDING;
  return lanes * size_t(std::max(street.stride[0], street.stride[1]));
}

}  // namespace

void Engine::Room::include(const Room& other) {
  if (streets.size() < other.streets.size()) streets.resize(other.streets.size(), OfStreet{});
  for (size_t s = 0; s < other.streets.size(); ++s) {
    streets[s].opponent = std::max(streets[s].opponent, other.streets[s].opponent);
    streets[s].own = std::max(streets[s].own, other.streets[s].own);
    streets[s].values = std::max(streets[s].values, other.streets[s].values);
    streets[s].exits = std::max(streets[s].exits, other.streets[s].exits);
  }
  sweep = std::max(sweep, other.sweep);
  widest = std::max(widest, other.widest);
  rows = std::max(rows, other.rows);
}

bool Engine::Room::within(const Room& other) const {
  if (streets.size() > other.streets.size()) return false;
  for (size_t s = 0; s < streets.size(); ++s)
    if (streets[s].opponent > other.streets[s].opponent || streets[s].own > other.streets[s].own ||
        streets[s].values > other.streets[s].values || streets[s].exits > other.streets[s].exits)
      return false;
  return sweep <= other.sweep && widest <= other.widest && rows <= other.rows;
}

// Returns the room for one board's reach and values per street.
Engine::Room Engine::room() const {
  Room room{{}, 0, 0, 0};
  size_t actions = 0;
  for (const Street& street : streets_) {
    room.widest = std::max<size_t>(room.widest, size_t(street.stride[0]) + size_t(street.stride[1]));
    for (int node = 0; node < street.nodes; ++node) actions = std::max(actions, size_t(street.num_children[node]));
    Room::OfStreet of{0, 0, 0, exit_room(street)};
    for (int p = 0; p < 2; ++p) {
      of.opponent = std::max(of.opponent, size_t(street.plan[p].opponent_slots) * size_t(street.stride[1 - p]));
      of.own = std::max(of.own, size_t(street.plan[p].own_slots) * size_t(street.stride[p]));
      of.values = std::max(of.values, size_t(street.nodes) * size_t(street.stride[p]));
    }
    room.streets.push_back(of);
  }
  const bool uneven = std::any_of(streets_.begin(), streets_.end(), [](const Street& street) { return street.uneven; });
  room.sweep = 1 + (uneven ? 2 : 1) * room.widest + size_t(tree_.num_cards);
  room.rows = (2 * actions + 1) * room.widest;  // for one node, and over buckets for the sums besides
  return room;
}

Scratch Engine::make_scratch(const Room& room, size_t bytes, ThreadMemory& memory) {
  const auto take = [&](size_t size) {
    memory.buffers.push_back(make_buffer(size));
    return memory.buffers.back().get();
  };
  for (const Room::OfStreet& of : room.streets) {
    memory.opponent.push_back(take(of.opponent * bytes));
    memory.own.push_back(take(of.own * bytes));
    memory.values.push_back(take(of.values * bytes));
    memory.opponent_exits.push_back(take(of.exits * bytes));
    memory.own_exits.push_back(take(of.exits * bytes));
    memory.exit_values.push_back(take(of.exits * bytes));
  }
  return Scratch{memory.opponent.data(),        memory.own.data(),
                 memory.values.data(),          memory.opponent_exits.data(),
                 memory.own_exits.data(),       memory.exit_values.data(),
                 take(room.sweep * LANE_BYTES), {take(room.widest * MOST_PLACES), take(room.widest * MOST_PLACES)},
                 take(room.widest * bytes),     take(room.rows * bytes)};
}

// Allocates the working memory of every thread for values of this type.
void Engine::reserve(Type value_type) {
  const size_t bytes = value_type == Type::FLOAT64 ? 8 : 4;
  if (bytes <= reserved_size_) return;
  memory_.clear();
  scratch_.clear();
  memory_.resize(size_t(team_size()));
  const Room needed = room();
  for (ThreadMemory& memory : memory_) scratch_.push_back(make_scratch(needed, bytes, memory));
  const Street& root = streets_.front();
  const size_t children = size_t(root.child_start[root.boards]);
  partial_ = make_buffer(std::min<size_t>(children, CHUNKS) * exit_room(root) * bytes);
  reserved_size_ = bytes;
}

Job Engine::job(int player, const Role* roles, Type value_type, Type source_type,
                const std::vector<const void*>& source) {
  reserve(value_type);
  Job job = blank(player, roles, value_type, source_type, source);
  job.team = team_.get();
  job.scratch = scratch_.data();
  job.partial = partial_.get();
  return job;
}

// Returns a job without working memory.
Job Engine::blank(int player, const Role* roles, Type value_type, Type source_type,
                  const std::vector<const void*>& source) const {
  Job job{};
  job.tree = &tree_;
  job.player = player;
  job.roles = roles;
  job.value_type = value_type;
  job.source_type = source_type;
  job.source = source.data();
  job.halves = active_set->halves;
  job.last_board = streets_.front().boards;
  job.entering[0] = tree_.root_reach[0];
  job.entering[1] = tree_.root_reach[1];
  job.out_nodes = streets_.front().entries;
  return job;
}

int Engine::team_size() const { return work_ >= THREADED_WORK ? threads_ : 1; }

void run_on_active_set(const Job& job) { (job.tables ? active_set->run_over_buckets : active_set->run)(job); }

void Engine::run(Job& job) { run_on_active_set(job); }

namespace {

// Makes a walk start with other reach than the tree's own.
void enter_with(Job& job, const double* const* entering) {
  for (int p = 0; entering && p < 2; ++p) job.entering[p] = entering[p];
}

}  // namespace

// Returns a walk that learns; `source` must outlive it.
Job Engine::learning(StateArrays& state, int player, const Role* roles, bool weighted,
                     const std::vector<const void*>& source) {
  Job work = job(player, roles, state.type == Type::FLOAT64 ? Type::FLOAT64 : Type::FLOAT32, state.type, source);
  work.scales = state.scales.data();
  work.regrets = state.regrets.data();
  work.sums = state.sums.data();
  work.sums_type = state.sums_type;
  work.predicted = state.predicted.empty() ? nullptr : state.predicted.data();
  work.weighted = weighted;
  work.tied = true;
  return work;
}

namespace {

std::vector<const void*> played(const StateArrays& state) {
  const auto& read = state.frozen.empty() ? state.source() : state.frozen;
  return {read.begin(), read.end()};
}

}  // namespace

void Engine::update(StateArrays& state, int player, const Role* roles, const Coefficients& c, bool weighted,
                    const double* const* leaf_values, const double* const* entering, double* out) {
  const std::vector<const void*> source = played(state);
  Job work = learning(state, player, roles, weighted, source);
  work.coefficients = c;
  work.leaf_values = leaf_values;
  enter_with(work, entering);
  work.out = out;
  run(work);
}

void Engine::iterate(StateArrays& state, const Coefficients* rows, int count, bool weighted) {
  const size_t bytes = state.type == Type::FLOAT32 ? 4 : 8;
  const std::vector<const void*> source = played(state);
  const std::vector<Role> roles = everywhere(Role::LEARNS, tree_.streets);
  Job work[2] = {learning(state, 0, roles.data(), weighted, source),
                 learning(state, 1, roles.data(), weighted, source)};
  for (int i = 0; i < count; ++i) {
    if (!state.frozen.empty()) {
      const auto& from = state.source();
      for (int s = 0; s < tree_.streets; ++s)
        for (int p = 0; p < 2; ++p) {
          const Street& street = streets_[s];
          std::memcpy(state.frozen[s * 2 + p], from[s * 2 + p],
                      size_t(street.rows[p]) * size_t(street.hands[p].start[street.boards]) * bytes);
        }
    }
    for (Job& half : work) {
      half.coefficients = rows[i];
      run(half);
    }
  }
}

void Engine::leaf_reach(Type type, const std::vector<const void*>& source, bool tied, const double* const* entering,
                        double* const* reach0, double* const* reach1) {
  const std::vector<Role> roles = everywhere(Role::FIXED, tree_.streets);
  Job work = job(0, roles.data(), tied && type == Type::FLOAT32 ? Type::FLOAT32 : Type::FLOAT64, type, source);
  work.tied = tied;
  enter_with(work, entering);
  work.leaf_reach[0] = reach0;
  work.leaf_reach[1] = reach1;
  run(work);
}

void Engine::root_values(Type type, const std::vector<const void*>& strategy, int player, const Role* roles, bool exact,
                         const double* const* leaf_values, const double* const* entering, double* out) {
  Job work = job(player, roles, exact || type == Type::FLOAT64 ? Type::FLOAT64 : Type::FLOAT32, type, strategy);
  work.leaf_values = leaf_values;
  enter_with(work, entering);
  work.out = out;
  run(work);
}

void Engine::board_values(Type type, const std::vector<const void*>& strategy, int player, const Role* roles,
                          int street, int board, const double* const* leaf_values, const double* entering,
                          double* out) {
  Job work = job(player, roles, Type::FLOAT64, type, strategy);
  work.leaf_values = leaf_values;
  work.street = street;
  work.first_board = board;
  work.last_board = board + 1;
  work.entering[1 - player] = entering;
  work.entering[player] = nullptr;
  work.out = out;
  work.out_nodes = streets_[street].nodes;
  if (street != 0) work.partial = nullptr;
  run(work);
}

}  // namespace errai
