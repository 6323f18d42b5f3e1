// SPDX-License-Identifier: Apache-2.0
// matio: a MAT file (version 4 to 7.3) -> two cell arrays or two matrices.
#pragma once

#include "data/mat_contents.hpp"

namespace colla {

/// Reads X and Y, or feature and label. Throws DataError. A hostile file can crash this function,
/// make it loop forever or corrupt its memory, and matio may print: call it only through
/// answer_of_child.
MatContents load_mat_file(const std::string& path);

/// Reads two numeric matrices, each as the only cell of its variable. As dangerous as the above.
MatContents load_mat_matrices(const std::string& path, const std::string& inputs,
                              const std::string& targets);

}  // namespace colla
