// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

#include <vector>

namespace colla {

/// A Cholesky factor laid out for many solves with one right side each: tiles of 8 x 8, one panel
/// of 8 columns after the other, those on the diagonal inverted. A solve then reads memory in order
/// and waits for no division. Its sums have a fixed order and no fused operations, so that every
/// processor gives the same bits.
class TiledCholesky {
 public:
  /// Takes over the factor C, in the lower triangle, of A = C C'.
  void assign(const MatrixView& factor);

  Index order() const { return order_; }
  /// x <- A^-1 x. Allocates only in a thread's first solve of this order.
  void solve_in_place(Eigen::Ref<Vector> x) const;

 private:
  struct alignas(64) Tile {
    double entries[64];  // column after column
  };

  Index order_ = 0;
  std::vector<Tile> tiles_;
};

}  // namespace colla
