// Packing chunks of 16-bit numbers and unpacking them; sift.cpp describes the method.

#pragma once

#include <cstddef>
#include <cstdint>

namespace errai::store {

// Largest number of numbers in a chunk.
inline constexpr std::size_t kMaxChunk = 1 << 16;

// Largest number of bytes that a chunk of n numbers takes.
inline constexpr std::size_t sift_bound(std::size_t n) { return 2 * n + 16 * ((n + 63) / 64) + 64; }

// Working memory of a thread, including room for what is written and read past the end.
struct Scratch {
  std::uint16_t found[kMaxChunk + 192];
  std::uint16_t large[kMaxChunk + 192];
};

// Writes n numbers, 1 to kMaxChunk, to packed, which has room for sift_bound(n) bytes; returns how many were written.
std::size_t sift(const std::uint16_t* values, std::size_t n, std::uint8_t* packed, Scratch& scratch);

// Reads n numbers from size bytes; returns false if these are not such a chunk.
bool unsift(const std::uint8_t* packed, std::size_t size, std::uint16_t* values, std::size_t n, Scratch& scratch);

}  // namespace errai::store
