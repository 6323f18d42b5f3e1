// SPDX-License-Identifier: Apache-2.0
// SQLite's file system, remembering the reads that the system refused: SQLite reports some of them
// as a damaged file, others in words that a check of its pages returns.
#pragma once

struct sqlite3;

namespace colla {

/// The name of the file system, for sqlite3_open_v2.
const char* read_error_vfs();

/// The system's error at the last read of the database or its log that failed since it was opened;
/// 0: none did. The database must be opened with `read_error_vfs`.
int read_error_of(sqlite3* database);

}  // namespace colla
