// SPDX-License-Identifier: Apache-2.0
// A server on the loopback device that serves one file, well or badly.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace colla::testing {

struct Behaviour {
  std::string content = {};
  bool knows_ranges = true;
  /// Bytes of the body after which the connection is cut.
  std::optional<std::size_t> cut_after = std::nullopt;
  bool is_silent = false;  ///< accepts and never answers
  std::string status = "200 OK";
  std::string redirect = {};  ///< the place to go to instead
};

class HttpServer {
 public:
  explicit HttpServer(Behaviour behaviour) : behaviour_(std::move(behaviour)) {
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listening_, generic, length) != 0 || ::listen(listening_, 8) != 0 ||
        ::getsockname(listening_, generic, &length) != 0) {
      throw std::runtime_error("no port on the loopback device");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() {
    stopping_ = true;
    thread_.join();
    ::close(listening_);
  }

  [[nodiscard]] std::string address() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/file";
  }
  /// The Range header of each request, empty for none.
  [[nodiscard]] std::vector<std::string> ranges() const {
    const std::lock_guard lock(mutex_);
    return ranges_;
  }

 private:
  static bool ready(int socket) {
    pollfd waiting{socket, POLLIN, 0};
    return ::poll(&waiting, 1, 20) > 0;
  }

  void serve() {
    while (!stopping_) {
      if (!ready(listening_)) continue;
      const int connection = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      answer(connection);
      ::shutdown(connection, SHUT_RDWR);
      ::close(connection);
    }
  }

  std::string request(int connection) const {
    std::string text;
    char bytes[4096];
    while (!stopping_ && text.find("\r\n\r\n") == std::string::npos) {
      if (!ready(connection)) continue;
      const ssize_t count = ::recv(connection, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      text.append(bytes, static_cast<std::size_t>(count));
    }
    return text;
  }

  static std::string range_in(const std::string& request) {
    const std::size_t begin = request.find("Range: bytes=");
    if (begin == std::string::npos) return {};
    const std::size_t value = begin + std::string("Range: bytes=").size();
    return request.substr(value, request.find("\r\n", value) - value);
  }

  void answer(int connection) {
    const std::string range = range_in(request(connection));
    {
      const std::lock_guard lock(mutex_);
      ranges_.push_back(range);
    }
    while (behaviour_.is_silent && !stopping_) ready(listening_);
    if (behaviour_.is_silent) return;
    std::string status = behaviour_.status;
    std::string body = behaviour_.content;
    std::string headers;
    if (!behaviour_.redirect.empty()) headers = "Location: " + behaviour_.redirect + "\r\n";
    if (!range.empty() && behaviour_.knows_ranges && status == "200 OK") {
      const std::size_t begin = std::stoull(range);
      const std::string size = std::to_string(body.size());
      status = begin < body.size() ? "206 Partial Content" : "416 Range Not Satisfiable";
      headers = "Content-Range: bytes " + std::to_string(begin) + "-" +
                std::to_string(body.size() - 1) + "/" + size + "\r\n";
      body = begin < body.size() ? body.substr(begin) : "";
    }
    send_all(connection, "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " +
                             std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n");
    send_all(connection, body.substr(0, behaviour_.cut_after.value_or(body.size())));
  }

  static void send_all(int connection, const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count =
          ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }

  Behaviour behaviour_;
  int listening_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> ranges_;
  std::thread thread_;
};

}  // namespace colla::testing
