// What systems do differently: memory that begins at a cache line, and the number of this process.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

namespace errai {

constexpr std::size_t CACHE_LINE = 64;  // bytes

struct FreeAligned {
  void operator()(void* memory) const { ::operator delete(memory, std::align_val_t(CACHE_LINE)); }
};
using Buffer = std::unique_ptr<void, FreeAligned>;

// Memory of so many bytes, rounded up to whole cache lines; throws std::bad_alloc.
inline Buffer aligned_buffer(std::size_t bytes) {
  return Buffer(::operator new((bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE, std::align_val_t(CACHE_LINE)));
}

// A process that was forked has a number of its own.
inline int process_number() {
#if defined(_WIN32)
  return _getpid();
#else
  return getpid();
#endif
}

}  // namespace errai
