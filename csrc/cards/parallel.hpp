// Independent pieces of work divided among threads.  Results must not depend on which thread does which piece.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace errai::cards {

// Calls make() once per thread, and the function that it returned for ranges [first, last) of pieces.
template <class Make>
void in_parallel(size_t pieces, size_t at_once, int threads, Make make) {
  std::atomic<size_t> next{0};
  const auto loop = [&] {
    auto work = make();
    for (size_t first; (first = next.fetch_add(at_once)) < pieces;) work(first, std::min(pieces, first + at_once));
  };
  const size_t useful = (pieces + at_once - 1) / at_once;
  const size_t count = std::min<size_t>(threads < 1 ? 1 : threads, useful);
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < count; ++i) helpers.emplace_back(loop);
  loop();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace errai::cards
