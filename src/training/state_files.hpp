// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/model_file.hpp"

#include <string>

namespace colla {

/// Writes `L_<i>.csv` per agent and `Z_<i>_<j>.csv` per edge (both d x u, no header, 17 significant
/// digits) and `codes.csv` (agent,task,s_0,...: the codes in A and b) into a folder, which is made
/// if need be. All files are written or none. Throws StoreError. `first_agent` is the number of the
/// model's first agent.
void write_state(const std::string& folder, const Model& model, Index first_agent = 0);

/// Throws StoreError now if write_state could not make or use the folder.
void check_state_folder(const std::string& folder);

}  // namespace colla
