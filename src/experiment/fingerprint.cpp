// SPDX-License-Identifier: Apache-2.0
#include "experiment/fingerprint.hpp"

#include <cstdint>
#include <cstdio>

namespace colla {
namespace {

class Fnv {
 public:
  void add(const void* bytes, std::size_t count) {
    const auto* first = static_cast<const unsigned char*>(bytes);
    for (std::size_t k = 0; k < count; ++k) {
      hash_ ^= first[k];
      hash_ *= 0x100000001b3U;
    }
  }
  void add(std::string_view text) {
    const std::uint64_t length = text.size();
    add(&length, sizeof length);
    add(text.data(), text.size());
  }
  void add(const double* values, Index count) {
    add(&count, sizeof count);
    add(static_cast<const void*>(values), static_cast<std::size_t>(count) * sizeof(double));
  }

  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash_));
    return digits;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

void add_rows(Fnv& hash, const DataSet& data) {
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) {
      hash.add(batch.task);
      hash.add(batch.X.data(), batch.X.size());
      hash.add(batch.y.data(), batch.y.size());
    }
  }
}

}  // namespace

std::string fingerprint_of(std::string_view text) {
  Fnv hash;
  hash.add(text);
  return hash.text();
}

std::string fingerprint_of(const DataSet& data) {
  Fnv hash;
  hash.add(std::to_string(data.agents.size()));
  add_rows(hash, data);
  return hash.text();
}

std::string fingerprint_of(const PreparedData& prepared) {
  Fnv hash;
  hash.add(name_of(prepared.data.problem));
  hash.add(std::to_string(prepared.agents));
  for (const Index group : prepared.group) hash.add(std::to_string(group));
  add_rows(hash, prepared.data);
  return hash.text();
}

}  // namespace colla
