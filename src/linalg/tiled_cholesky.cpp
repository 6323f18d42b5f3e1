// SPDX-License-Identifier: Apache-2.0
#include "linalg/tiled_cholesky.hpp"

#include "linalg/lanes.hpp"

#include <algorithm>
#include <cassert>

namespace colla {
namespace {

constexpr Index width = 8;  // of a tile

constexpr Index lanes_per_column = 2;
constexpr Index lanes_per_tile = lanes_per_column * width;

// x <- C^-1 x: x_J <- C_JJ^-1 x_J, then x_I <- x_I - C_IJ x_J for I > J.
COLLA_FOR_EACH_PROCESSOR
void solve_lower(const double* tiles, Index panels, double* x) {
  const Lanes* tile = lanes(tiles);
  Lanes* part = lanes(x);
  for (Index J = 0; J < panels; ++J) {
    const double* y = x + J * width;
    Lanes top = tile[0] * y[0];
    Lanes bottom = tile[1] * y[0];
    for (Index k = 1; k < width; ++k) {
      top += tile[2 * k] * y[k];
      bottom += tile[2 * k + 1] * y[k];
    }
    part[2 * J] = top;
    part[2 * J + 1] = bottom;
    tile += lanes_per_tile;
    const double y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3];
    const double y4 = y[4], y5 = y[5], y6 = y[6], y7 = y[7];
    for (Index row = lanes_per_column * (J + 1); row < lanes_per_column * panels; row += 2) {
      part[row] -= ((tile[0] * y0 + tile[2] * y1) + (tile[4] * y2 + tile[6] * y3)) +
                   ((tile[8] * y4 + tile[10] * y5) + (tile[12] * y6 + tile[14] * y7));
      part[row + 1] -= ((tile[1] * y0 + tile[3] * y1) + (tile[5] * y2 + tile[7] * y3)) +
                       ((tile[9] * y4 + tile[11] * y5) + (tile[13] * y6 + tile[15] * y7));
      tile += lanes_per_tile;
    }
  }
}

// x <- C'^-1 x: x_J <- C_JJ'^-1 (x_J - sum_{I > J} C_IJ' x_I), from the last panel to the first.
COLLA_FOR_EACH_PROCESSOR
void solve_upper(const double* tiles, Index panels, double* x) {
  Lanes* part = lanes(x);
  const Lanes* diagonal = lanes(tiles) + lanes_per_tile * (panels * (panels + 1) / 2);
  for (Index J = panels - 1; J >= 0; --J) {
    diagonal -= lanes_per_tile * (panels - J);
    Lanes s0 = {}, s1 = {}, s2 = {}, s3 = {}, s4 = {}, s5 = {}, s6 = {}, s7 = {};
    const Lanes* tile = diagonal + lanes_per_tile;
    for (Index row = lanes_per_column * (J + 1); row < lanes_per_column * panels; row += 2) {
      const Lanes top = part[row];
      const Lanes bottom = part[row + 1];
      s0 += tile[0] * top + tile[1] * bottom;
      s1 += tile[2] * top + tile[3] * bottom;
      s2 += tile[4] * top + tile[5] * bottom;
      s3 += tile[6] * top + tile[7] * bottom;
      s4 += tile[8] * top + tile[9] * bottom;
      s5 += tile[10] * top + tile[11] * bottom;
      s6 += tile[12] * top + tile[13] * bottom;
      s7 += tile[14] * top + tile[15] * bottom;
      tile += lanes_per_tile;
    }
    Lanes first, second;
    add_up(s0, s1, s2, s3, first);
    add_up(s4, s5, s6, s7, second);
    const Lanes top = part[2 * J] - first;
    const Lanes bottom = part[2 * J + 1] - second;
    const Lanes* t = diagonal;
    add_up(t[0] * top + t[1] * bottom, t[2] * top + t[3] * bottom, t[4] * top + t[5] * bottom,
           t[6] * top + t[7] * bottom, first);
    add_up(t[8] * top + t[9] * bottom, t[10] * top + t[11] * bottom, t[12] * top + t[13] * bottom,
           t[14] * top + t[15] * bottom, second);
    part[2 * J] = first;
    part[2 * J + 1] = second;
  }
}

using TileMap = Eigen::Map<Eigen::Matrix<double, width, width>, Eigen::Aligned16>;

// Replaces a tile by the inverse of its lower triangle, row after row.
void invert(TileMap& C) {
  Eigen::Matrix<double, width, width, Eigen::RowMajor> inverse;
  inverse.setIdentity();
  for (Index row = 0; row < width; ++row) {
    for (Index k = 0; k < row; ++k) inverse.row(row) -= C(row, k) * inverse.row(k);
    inverse.row(row) /= C(row, row);
  }
  C = inverse;
}

struct alignas(64) Room {
  double entries[width];
};

}  // namespace

void TiledCholesky::assign(const MatrixView& factor) {
  order_ = factor.rows();
  const Index panels = (order_ + width - 1) / width;
  tiles_.resize(static_cast<std::size_t>(panels * (panels + 1) / 2));
  Tile* tile = tiles_.data();
  for (Index J = 0; J < panels; ++J) {
    const Index columns = std::min(width, order_ - J * width);
    for (Index I = J; I < panels; ++I, ++tile) {
      const Index rows = std::min(width, order_ - I * width);
      TileMap entries(tile->entries);
      if (I > J && rows == width) {
        entries = factor.block<width, width>(I * width, J * width);
        continue;
      }
      entries.setZero();
      entries.topLeftCorner(rows, columns) = factor.block(I * width, J * width, rows, columns);
      if (I > J) continue;
      entries.diagonal().tail(width - columns).setOnes();
      invert(entries);
    }
  }
}

void TiledCholesky::solve_in_place(Eigen::Ref<Vector> x) const {
  assert(x.size() == order_);
  if (order_ == 0) return;
  const Index panels = (order_ + width - 1) / width;
  thread_local std::vector<Room> room;
  if (std::ssize(room) < panels) room.resize(static_cast<std::size_t>(panels));
  double* padded = room.front().entries;
  std::copy_n(x.data(), order_, padded);
  std::fill_n(padded + order_, panels * width - order_, 0.0);
  const double* tiles = tiles_.front().entries;
  solve_lower(tiles, panels, padded);
  solve_upper(tiles, panels, padded);
  std::copy_n(padded, order_, x.data());
}

}  // namespace colla
