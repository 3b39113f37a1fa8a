#include "sampling.hpp"

#include <algorithm>

namespace errai {

namespace {

constexpr int MOST_STREETS = 8;
constexpr int SHARES = 24;  // shares of the deals of a call; each has its own list, whatever the number of threads

// Random numbers that depend only on their key and position (splitmix64: Steele, Lea & Flood 2014).
class Random {
 public:
  Random(uint64_t seed, uint64_t number, int player) : state_(mix(mix(seed) ^ (number * 2 + uint64_t(player)))) {}
  double next() { return double(mix(state_ += GAMMA) >> 11) * 0x1.0p-53; }

 private:
  static constexpr uint64_t GAMMA = 0x9e3779b97f4a7c15u;
  static uint64_t mix(uint64_t z) {
    z += GAMMA;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

template <class T>
struct Change {
  int64_t at;
  T by;
};

template <class T>
using Lists = std::vector<Change<T>>[MOST_STREETS * 4];  // by table: regrets [street * 2 + player], then sums

template <class T>
struct Call {
  const LineTree* tree;
  const SampledTables* tables;
  const Draws* draws;
  int player;
  T regret_weight, sum_weight;
  bool floor;
  Pruning pruning;
  std::vector<Lists<T>*> lists;  // by share
  std::vector<int64_t> visited;
};

template <class T>
class ExternalWalk {
 public:
  ExternalWalk(const Call<T>& call, Lists<T>& lists, int64_t deal)
      : call_(call), tree_(*call.tree), lists_(lists), buckets_(call.draws->buckets + deal * call.tree->streets * 2),
        wins_(call.draws->sign[deal] * (call.player == 0 ? 1 : -1)),
        random_(call.draws->seed, call.draws->first + uint64_t(deal), call.player),
        prunes_(call.pruning.chance > 0 && random_.next() < call.pruning.chance) {}

  T value(int node) {
    ++visited;
    switch (tree_.kind[node]) {
      case FOLD: return T(tree_.actor[node] == call_.player ? -tree_.payoff[node] : tree_.payoff[node]);
      case SHOWDOWN: return T(tree_.payoff[node] * wins_);
      case CHANCE: return value(tree_.first_child[node]);
      default: return decision(node);
    }
  }

  int64_t visited = 0;

 private:
  T decision(int node) {
    const int actor = tree_.actor[node], actions = tree_.num_children[node], child = tree_.first_child[node];
    const int table = tree_.street[node] * 2 + actor;
    const int64_t columns = call_.tables->columns[table];
    const int64_t at = tree_.row[node] * columns + buckets_[table];
    const T* regrets = static_cast<const T*>(call_.tables->regrets[table]);
    T share[MAX_ACTIONS], total = 0;
    for (int a = 0; a < actions; ++a) {
      share[a] = std::max(T(0), regrets[at + a * columns]);
      total += share[a];
    }
    for (int a = 0; a < actions; ++a) share[a] = total > 0 ? share[a] / total : T(1) / T(actions);
    if (actor != call_.player) {
      if (call_.sum_weight != 0)
        for (int a = 0; a < actions; ++a)
          lists_[MOST_STREETS * 2 + table].push_back({at + a * columns, call_.sum_weight * share[a]});
      double drawn = random_.next();
      int action = 0;
      for (int a = 0; a < actions; ++a) {
        if (share[a] <= 0) continue;
        action = a;
        drawn -= double(share[a]);
        if (drawn < 0) break;
      }
      return value(child + action);
    }
    T worth[MAX_ACTIONS], mean = 0;
    bool known[MAX_ACTIONS];
    for (int a = 0; a < actions; ++a) {
      const int8_t kind = tree_.kind[child + a];
      known[a] =
          !(prunes_ && kind != FOLD && kind != SHOWDOWN && double(regrets[at + a * columns]) < call_.pruning.below);
      worth[a] = known[a] ? value(child + a) : T(0);
      mean += share[a] * worth[a];
    }
    for (int a = 0; a < actions; ++a)
      if (known[a]) lists_[table].push_back({at + a * columns, call_.regret_weight * (worth[a] - mean)});
    return mean;
  }

  const Call<T>& call_;
  const LineTree& tree_;
  Lists<T>& lists_;
  const int32_t* const buckets_;
  const int wins_;
  Random random_;
  const bool prunes_;
};

template <class T>
void walk_share(void* context, int task, int) {
  Call<T>& call = *static_cast<Call<T>*>(context);
  const int64_t count = call.draws->count;
  for (int64_t deal = count * task / SHARES; deal < count * (task + 1) / SHARES; ++deal) {
    ExternalWalk<T> walk(call, *call.lists[size_t(task)], deal);
    walk.value(0);
    call.visited[size_t(task)] += walk.visited;
  }
}

template <class T>
struct Adding {
  Call<T>* call;
  std::vector<int> tables;
};

template <class T>
void add_table(void* context, int task, int) {
  const Adding<T>& adding = *static_cast<Adding<T>*>(context);
  const int number = adding.tables[size_t(task)], of = MOST_STREETS * 2;
  const SampledTables& tables = *adding.call->tables;
  const bool floor = adding.call->floor && number < of;
  T* to = static_cast<T*>(number < of ? tables.regrets[number] : tables.sums[number - of]);
  for (const Lists<T>* lists : adding.call->lists)
    for (const Change<T>& change : (*lists)[number]) {
      const T sum = to[change.at] + change.by;
      to[change.at] = floor && sum < 0 ? T(0) : sum;
    }
}

template <class T>
int64_t sample(Team& team, const LineTree& tree, const SampledTables& tables, const Draws& draws, int player,
               double regret_weight, double sum_weight, bool floor, const Pruning& pruning) {
  std::vector<std::unique_ptr<Lists<T>[]>> memory;
  Call<T> call{&tree, &tables, &draws, player, T(regret_weight), T(sum_weight), floor, pruning, {}, {}};
  for (int s = 0; s < SHARES; ++s) {
    memory.emplace_back(new Lists<T>[1]);
    call.lists.push_back(&memory.back()[0]);
  }
  call.visited.resize(SHARES);
  run_tasks(&team, SHARES, &walk_share<T>, &call);
  // The tables are the regrets of one player and the sums of the other, so all of them are different.
  Adding<T> adding{&call, {}};
  for (int s = tree.streets - 1; s >= 0; --s) {
    adding.tables.push_back(s * 2 + player);
    adding.tables.push_back(MOST_STREETS * 2 + s * 2 + 1 - player);
  }
  run_tasks(&team, int(adding.tables.size()), &add_table<T>, &adding);
  int64_t visited = 0;
  for (const int64_t nodes : call.visited) visited += nodes;
  return visited;
}

}  // namespace

int64_t sample_external(Team& team, const LineTree& tree, const SampledTables& tables, const Draws& draws, int player,
                        double regret_weight, double sum_weight, bool floor, const Pruning& pruning) {
  return (tables.type == Type::FLOAT64 ? sample<double> : sample<float>)(team, tree, tables, draws, player,
                                                                         regret_weight, sum_weight, floor, pruning);
}

}  // namespace errai
