// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace colla {

/// The pieces of memory that a piece of work is about to use. Found once, they can be fetched into
/// the cache without following pointers, while other work goes on.
class MemoryList {
 public:
  void add(const void* begin, std::size_t size) {
    pieces_.push_back({static_cast<const char*>(begin), size});
  }
  template <typename Object>
  void add(const Object& object) {
    add(&object, sizeof(Object));
  }
  void add(const Matrix& matrix) {
    add(matrix.data(), sizeof(double) * static_cast<std::size_t>(matrix.size()));
  }

  /// The beginning of each piece; the processor itself runs ahead in long ones.
  void prefetch() const {
    constexpr std::size_t line = 64;
    constexpr std::size_t most = 8192;
    for (const Piece& piece : pieces_) {
      for (std::size_t at = 0; at < std::min(piece.size, most); at += line) {
        __builtin_prefetch(piece.begin + at);
      }
    }
  }

 private:
  struct Piece {
    const char* begin;
    std::size_t size;
  };
  std::vector<Piece> pieces_;
};

}  // namespace colla
