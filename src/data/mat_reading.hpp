// SPDX-License-Identifier: Apache-2.0
// What a MAT file holds, read in a child process, so that a hostile one cannot crash this one.
#pragma once

#include "data/mat_contents.hpp"

namespace colla {

/// The cell arrays X and Y, or feature and label. Throws DataError.
MatContents read_mat_cells(const std::string& path);

/// Two numeric matrices by their names, each as the only cell of its variable. Throws DataError.
MatContents read_mat_matrices(const std::string& path, const std::string& inputs,
                              const std::string& targets);

}  // namespace colla
