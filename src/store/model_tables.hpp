// SPDX-License-Identifier: Apache-2.0
// The tables of a model file, format 1. Blobs are little-endian float64.
#pragma once

#include "store/model_file.hpp"
#include "store/sqlite.hpp"

namespace colla {

/// The tables, empty.
void create_tables(Database& database);
/// Throws StoreError unless the database holds these tables as create_tables makes them and nothing
/// else: a view or a computed column in a stranger's file could keep a reader busy for ever.
void check_tables(Database& database);

/// Fills the empty tables.
void write_tables(Database& database, const Model& model);
/// Throws StoreError if a value is one that write_tables never writes.
Model read_tables(Database& database);

}  // namespace colla
