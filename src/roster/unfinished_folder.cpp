// SPDX-License-Identifier: Apache-2.0
#include "roster/unfinished_folder.hpp"

#include "files/new_file.hpp"
#include "files/unfinished_file.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>

namespace colla {
namespace {

namespace fs = std::filesystem;

bool is_running(const std::string& process) {
  pid_t id = 0;
  const char* const end = process.data() + process.size();
  const auto [stop, error] = std::from_chars(process.data(), end, id);
  if (stop != end || error != std::errc() || id <= 0) return true;  // not ours
  return ::kill(id, 0) == 0 || errno != ESRCH;
}

}  // namespace

fs::path full_path(const fs::path& folder) {
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(fs::absolute(folder), ignored);
  return path.has_filename() ? path : path.parent_path();
}

UnfinishedFolder::UnfinishedFolder(const fs::path& folder)
    : target_(full_path(folder)), place_(unfinished_name(target_.string())) {
  remove_leftovers();
  make_private_folder(place_);
}

UnfinishedFolder::~UnfinishedFolder() {
  std::error_code ignored;
  fs::remove_all(place_, ignored);
}

void UnfinishedFolder::finish() {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place_)) {
    if (entry.is_directory()) sync_folder(entry.path());
  }
  sync_folder(place_);
  std::error_code error;
  fs::rename(place_, target_, error);
  if (error) {
    throw StoreError("cannot be created (" + error.message() + ")", target_.string(),
                     "check the folder around it, or choose a name that does not exist yet");
  }
  sync_folder(target_.parent_path());
}

void UnfinishedFolder::remove_leftovers() const {
  std::string beginning = place_.filename().string();
  beginning.resize(beginning.rfind('-') + 1);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(target_.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning) || is_running(name.substr(beginning.size()))) continue;
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace colla
