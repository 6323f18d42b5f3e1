// SPDX-License-Identifier: Apache-2.0
#include "files/sha256.hpp"

#include "files/hexadecimal.hpp"

#include <colla/error.hpp>

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

namespace colla {
namespace {

void require(int success) {
  if (success != 1) throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
  }

  void add(const char* bytes, std::size_t count) {
    require(EVP_DigestUpdate(context_.get(), bytes, count));
  }

  std::string hexadecimal() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned length = 0;
    require(EVP_DigestFinal_ex(context_.get(), bytes.data(), &length));
    return hexadecimal_of({reinterpret_cast<const char*>(bytes.data()), length});
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace

std::string sha256_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Digest digest;
  std::vector<char> chunk(std::size_t{1} << 16U);
  while (file) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    digest.add(chunk.data(), static_cast<std::size_t>(file.gcount()));
  }
  // A stream at the end of the file has read all of it.
  if (!file.eof()) throw DataError("cannot be read", path, "check its permissions");
  return digest.hexadecimal();
}

std::string sha256_of_bytes(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hexadecimal();
}

}  // namespace colla
