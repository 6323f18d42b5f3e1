// SPDX-License-Identifier: Apache-2.0
#include "store/read_errors.hpp"

#include <sqlite3.h>

#include <cstddef>

namespace colla {
namespace {

constexpr char vfs_name[] = "colla-read-errors";

// In front of the system's file.
struct alignas(std::max_align_t) WatchedFile {
  sqlite3_file base;
  WatchedFile* database;  // whose log or journal this is, or the file itself
  int read_error;
};

sqlite3_vfs* system_vfs() {
  static sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
  return found;
}

WatchedFile* watched(sqlite3_file* file) { return reinterpret_cast<WatchedFile*>(file); }
sqlite3_file* inner(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(watched(file) + 1);
}

// Calls the same method of the system's file.
template <auto method>
struct Forward;
template <typename... Arguments, int (*sqlite3_io_methods::*method)(sqlite3_file*, Arguments...)>
struct Forward<method> {
  static int call(sqlite3_file* file, Arguments... arguments) {
    return (inner(file)->pMethods->*method)(inner(file), arguments...);
  }
};

int note_failed_read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
  const int status = inner(file)->pMethods->xRead(inner(file), bytes, count, offset);
  if (status == SQLITE_OK || status == SQLITE_IOERR_SHORT_READ) return status;
  int error = 0;
  inner(file)->pMethods->xFileControl(inner(file), SQLITE_FCNTL_LAST_ERRNO, &error);
  watched(file)->database->read_error = error;
  return status;
}

void forward_barrier(sqlite3_file* file) { inner(file)->pMethods->xShmBarrier(inner(file)); }

// Version 2: without mapped files, whose reads nobody sees.
constexpr sqlite3_io_methods watched_methods = {
    2,
    Forward<&sqlite3_io_methods::xClose>::call,
    note_failed_read,
    Forward<&sqlite3_io_methods::xWrite>::call,
    Forward<&sqlite3_io_methods::xTruncate>::call,
    Forward<&sqlite3_io_methods::xSync>::call,
    Forward<&sqlite3_io_methods::xFileSize>::call,
    Forward<&sqlite3_io_methods::xLock>::call,
    Forward<&sqlite3_io_methods::xUnlock>::call,
    Forward<&sqlite3_io_methods::xCheckReservedLock>::call,
    Forward<&sqlite3_io_methods::xFileControl>::call,
    Forward<&sqlite3_io_methods::xSectorSize>::call,
    Forward<&sqlite3_io_methods::xDeviceCharacteristics>::call,
    Forward<&sqlite3_io_methods::xShmMap>::call,
    Forward<&sqlite3_io_methods::xShmLock>::call,
    forward_barrier,
    Forward<&sqlite3_io_methods::xShmUnmap>::call,
    nullptr,
    nullptr,
};

int open_watched(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags,
                 int* found_flags) {
  const bool is_of_another = (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
  watched(file)->base.pMethods = nullptr;
  watched(file)->database = watched(is_of_another ? sqlite3_database_file_object(name) : file);
  watched(file)->read_error = 0;
  const int status = system_vfs()->xOpen(system_vfs(), name, inner(file), flags, found_flags);
  // SQLite closes a file that has methods, even if it could not be opened.
  if (inner(file)->pMethods != nullptr) watched(file)->base.pMethods = &watched_methods;
  return status;
}

sqlite3_vfs* made_vfs() {
  static sqlite3_vfs vfs = *system_vfs();
  vfs.zName = vfs_name;
  vfs.szOsFile += static_cast<int>(sizeof(WatchedFile));
  vfs.xOpen = open_watched;
  sqlite3_vfs_register(&vfs, 0);
  return &vfs;
}

}  // namespace

const char* read_error_vfs() {
  static const sqlite3_vfs* const vfs = made_vfs();
  return vfs->zName;
}

int read_error_of(sqlite3* database) {
  sqlite3_file* file = nullptr;
  const int status =
      sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  const bool is_open = status == SQLITE_OK && file != nullptr && file->pMethods != nullptr;
  return is_open ? watched(file)->read_error : 0;
}

}  // namespace colla
