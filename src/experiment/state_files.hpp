// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/model_file.hpp"

#include <string>

namespace colla {

/// Writes `L_<i>.csv` per agent (d x u, no header, 17 significant digits) and `codes.csv`
/// (agent,task,s_0,...: the codes in A and b) into a folder, which is made if need be. Each file is
/// replaced whole. Throws StoreError.
void write_state(const std::string& folder, const Model& model);

/// Throws StoreError now if write_state could not make or use the folder.
void check_state_folder(const std::string& folder);

}  // namespace colla
