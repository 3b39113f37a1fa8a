// Flushes denormal numbers to 0 in products of small shares, because they take a hundred times as long.
// Included by files that are compiled once per instruction set, see walk.hpp.
#pragma once

namespace errai {
namespace ERRAI_ISA {
namespace {

// In tasks, thread 0 has been set up already.
class FlushToZero {
 public:
#if defined(__x86_64__)
  explicit FlushToZero(int thread = -1) : before_(thread ? __builtin_ia32_stmxcsr() : 0) {
    if (before_) __builtin_ia32_ldmxcsr(before_ | 0x8040);
  }
  ~FlushToZero() {
    if (before_) __builtin_ia32_ldmxcsr(before_);
  }

 private:
  unsigned before_;  // never 0 once it was read, because bits in it mask exceptions
#else
  explicit FlushToZero(int = -1) {}
#endif
};

}  // namespace
}  // namespace ERRAI_ISA
}  // namespace errai
