// SPDX-License-Identifier: Apache-2.0
// The three dense types that cross every interface.
#pragma once

#include <Eigen/Core>

namespace colla {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
/// Column-major: dictionaries (d x u), Gram and Gamma matrices.
using Matrix = Eigen::MatrixXd;
/// Row-major: samples (M x d), one row each, as files and NumPy have them.
using Samples = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

using VectorView = Eigen::Ref<const Vector>;
using MatrixView = Eigen::Ref<const Matrix>;
using SamplesView = Eigen::Ref<const Samples>;

}  // namespace colla
