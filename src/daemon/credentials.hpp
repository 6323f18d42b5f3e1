// SPDX-License-Identifier: Apache-2.0
// Who an agent is to others, and whom it believes: mutual TLS, 1.2 or newer, with certificates that
// the network's authority signed. Files are read anew when they change.
#pragma once

#include "roster/home.hpp"

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <functional>

namespace colla {

/// Hears why a certificate was refused, on gRPC's threads.
using Refusal = std::function<void(const std::string& reason)>;
/// Why the owner of a sound certificate with these names is refused all the same; empty: it is not.
/// On gRPC's threads.
using Admission = std::function<std::string(const std::vector<std::string>& names)>;

class Credentials {
 public:
  /// Without TLS, `insecure`, every address of the network must be a loopback one. Throws
  /// OptionError otherwise.
  Credentials(const Home& home, bool insecure);
  ~Credentials();

  /// For whoever calls: a certificate of the network that is admitted.
  std::shared_ptr<grpc::ServerCredentials> called(Admission admission, Refusal refusal) const;
  /// For a call to that agent: its certificate and no other.
  std::shared_ptr<grpc::ChannelCredentials> calling(const std::string& agent,
                                                    Refusal refusal) const;
  /// Throws NetworkError unless the other end came as it should: over TLS, with a certificate.
  void check_peer(const grpc::AuthContext& peer) const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;  // none without TLS
};

/// How many bytes the other end of a stream may send ahead of what was taken in.
int window_for(std::size_t largest_frame);

/// A channel to an agent, with what every connection between agents has in common: keepalive, the
/// largest frame, quick attempts to connect anew.
std::shared_ptr<grpc::Channel> open_channel(const Network& network, const std::string& address,
                                            const std::shared_ptr<grpc::ChannelCredentials>& who);

}  // namespace colla
