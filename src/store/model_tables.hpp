// SPDX-License-Identifier: Apache-2.0
// The tables of a model file, format 3. Blobs are little-endian float64; every row has a checksum.
#pragma once

#include "store/model_file.hpp"
#include "store/schema.hpp"

namespace colla {

const Schema& model_schema();

/// Fills the empty tables.
void write_tables(Database& database, const Model& model);
/// Throws StoreError if a row is damaged, missing or too many, or holds what write_tables never
/// writes.
Model read_tables(Database& database);

}  // namespace colla
