// SPDX-License-Identifier: Apache-2.0
#include "download/download.hpp"

#include "download/part_file.hpp"
#include "files/sha256.hpp"

#include <curl/curl.h>

#include <array>
#include <memory>
#include <new>
#include <stdexcept>

namespace colla {
namespace {

constexpr long range_not_satisfiable = 416;
constexpr long partial_content = 206;
constexpr long most_redirections = 5;

using Url = std::unique_ptr<CURLU, void (*)(CURLU*)>;

// A part of the address, empty if it has none.
std::string url_part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string result(text);
  curl_free(text);
  return result;
}

struct Address {
  std::string scheme;
  std::string host;
};

// Empty parts if the text is no address.
Address parse(const std::string& text) {
  const Url url(curl_url(), &curl_url_cleanup);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return {};
  return {url_part(url.get(), CURLUPART_SCHEME), url_part(url.get(), CURLUPART_HOST)};
}

bool is_this_machine(const std::string& host) {
  return host == "localhost" || host == "[::1]" || host == "127.0.0.1";
}

// For messages: without name and password. If the text is no address, everything before an @ might
// be a password.
std::string shown(const std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos) return text;
  const Url url(curl_url(), &curl_url_cleanup);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return "..." + text.substr(at);
  }
  curl_url_set(url.get(), CURLUPART_USER, nullptr, 0);
  curl_url_set(url.get(), CURLUPART_PASSWORD, nullptr, 0);
  return url_part(url.get(), CURLUPART_URL);
}

void check_address(const Download& wanted) {
  const Address address = parse(wanted.address);
  if (address.scheme != "http" && address.scheme != "https") {
    throw OptionError("is not an address to download from", shown(wanted.address),
                      "give one that begins with https://");
  }
  if (wanted.may_be_plain_http || is_safe_address(wanted.address)) return;
  throw OptionError("is not encrypted", shown(wanted.address),
                    "give one that begins with https://");
}

void initialise_curl() {
  static const CURLcode outcome = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (outcome != CURLE_OK) throw std::bad_alloc();
}

// One request; its answer is appended to the part.
class Transfer {
 public:
  Transfer(const Download& wanted, PartFile& part)
      : wanted_(wanted), part_(part), curl_(curl_easy_init(), &curl_easy_cleanup) {
    if (!curl_) throw std::bad_alloc();
    set_address();
    set_limits();
    set(CURLOPT_USERAGENT, "colla");
    set(CURLOPT_ERRORBUFFER, message_.data());
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_WRITEFUNCTION, &Transfer::receive);
    set(CURLOPT_WRITEDATA, this);
    if (part.size() > 0) set(CURLOPT_RANGE, (std::to_string(part.size()) + "-").c_str());
  }

  // False if the part is not a prefix of the server's file: start over.
  bool run();

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    const CURLcode outcome = curl_easy_setopt(curl_.get(), option, value);
    if (outcome != CURLE_OK) throw std::runtime_error(curl_easy_strerror(outcome));
  }
  void set_address();
  void set_limits();
  static std::size_t receive(const char* bytes, std::size_t size, std::size_t count, void* self);
  bool take(std::string_view bytes);
  long response() const;
  [[noreturn]] void refuse_length();
  [[noreturn]] void fail(CURLcode outcome) const;

  const Download& wanted_;
  PartFile& part_;
  std::unique_ptr<CURL, void (*)(CURL*)> curl_;
  std::array<char, CURL_ERROR_SIZE> message_{};
  bool answered_ = false;  // the first bytes have come
  bool too_long_ = false;
  bool disk_failed_ = false;
};

void Transfer::set_address() {
  set(CURLOPT_URL, wanted_.address.c_str());
  const bool encrypted = parse(wanted_.address).scheme == "https";
  set(CURLOPT_PROTOCOLS_STR, encrypted ? "https" : "http");
  // A redirect never leads from https to plain http, nor to http at all unless allowed.
  set(CURLOPT_REDIR_PROTOCOLS_STR,
      !encrypted && wanted_.may_be_plain_http ? "http,https" : "https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, most_redirections);
}

void Transfer::set_limits() {
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, wanted_.connect_seconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, wanted_.silent_seconds);
}

std::size_t Transfer::receive(const char* bytes, std::size_t size, std::size_t count, void* self) {
  // To curl, any number other than that of the bytes means stop.
  return static_cast<Transfer*>(self)->take({bytes, size * count}) ? size * count : 0;
}

bool Transfer::take(std::string_view bytes) {
  // A server without range support sends everything.
  if (!answered_ && response() != partial_content) disk_failed_ = !part_.clear();
  answered_ = true;
  too_long_ = part_.size() + bytes.size() > wanted_.bytes;
  if (too_long_ || disk_failed_) return false;
  disk_failed_ = !part_.append(bytes);
  if (wanted_.progress) wanted_.progress(part_.size());
  return !disk_failed_;
}

long Transfer::response() const {
  long code = 0;
  curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &code);
  return code;
}

bool Transfer::run() {
  const bool continued = part_.size() > 0;
  const CURLcode outcome = curl_easy_perform(curl_.get());
  if (outcome == CURLE_OK && part_.size() == wanted_.bytes) return true;
  const bool wrong_length = too_long_ || outcome == CURLE_OK;
  if (continued && (wrong_length || response() == range_not_satisfiable)) return false;
  if (wrong_length) refuse_length();
  fail(outcome);
}

void Transfer::refuse_length() {
  const std::string size = too_long_ ? "more" : std::to_string(part_.size());
  part_.clear();
  throw DataError(
      "has " + size + " bytes, and the published file has " + std::to_string(wanted_.bytes),
      shown(wanted_.address), "give another address with --address");
}

void Transfer::fail(CURLcode outcome) const {
  const std::string so_far =
      std::to_string(part_.size()) + " of " + std::to_string(wanted_.bytes) + " bytes";
  if (disk_failed_) {
    throw StoreError("cannot be written after " + so_far, part_.path(), "is the disk full?");
  }
  if (outcome == CURLE_HTTP_RETURNED_ERROR) {
    throw ConnectionError("the server answers " + std::to_string(response()),
                          shown(wanted_.address),
                          "give another address with --address, or place the file by hand");
  }
  if (answered_) {
    throw ConnectionError("the connection ended after " + so_far, shown(wanted_.address),
                          "run the command again to continue from there");
  }
  const char* const reason = message_[0] != '\0' ? message_.data() : curl_easy_strerror(outcome);
  throw ConnectionError(
      "cannot be reached: " + std::string(reason), shown(wanted_.address),
      "check the connection, give another address with --address, or place the file "
      "by hand");
}

// Until the part has as many bytes as the file.
void complete(const Download& wanted, PartFile& part) {
  if (part.size() > wanted.bytes) part.clear();
  if (part.size() == wanted.bytes) return;
  if (Transfer(wanted, part).run()) return;
  part.clear();
  Transfer(wanted, part).run();
}

bool is_right(const Download& wanted, PartFile& part) {
  part.flush();
  return sha256_of(part.path()) == wanted.sha256;
}

}  // namespace

bool is_safe_address(const std::string& text) {
  const Address address = parse(text);
  return address.scheme == "https" || (address.scheme == "http" && is_this_machine(address.host));
}

void download(const Download& wanted) {
  initialise_curl();
  check_address(wanted);
  PartFile part(wanted.target);
  const bool continued = part.size() > 0;
  complete(wanted, part);
  bool right = is_right(wanted, part);
  if (!right && continued) {  // the part was of something else
    part.clear();
    complete(wanted, part);
    right = is_right(wanted, part);
  }
  if (!right) {
    part.clear();
    throw DataError("is not the published file: its SHA-256 differs", shown(wanted.address),
                    "give another address with --address, or place the file by hand");
  }
  part.finish();
}

}  // namespace colla
