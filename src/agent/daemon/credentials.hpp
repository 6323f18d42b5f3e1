// SPDX-License-Identifier: Apache-2.0
// An agent's certificate and key, and the peers it trusts: mutual TLS, 1.2 or newer, with
// certificates signed by the network's authority. Changed files are read again.
#pragma once

#include "roster/home.hpp"

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <functional>

namespace colla {

/// Called with the reason when a certificate is refused, on gRPC's threads.
using Refusal = std::function<void(const std::string& reason)>;
/// Why the owner of a valid certificate with these names is still refused; empty: it is admitted.
/// On gRPC's threads.
using Admission = std::function<std::string(const std::vector<std::string>& names)>;

class Credentials {
 public:
  /// Without TLS (`insecure`) every address of the network must be a loopback address. Throws
  /// OptionError otherwise.
  Credentials(const Home& home, bool insecure);
  ~Credentials();

  /// For incoming calls: any admitted certificate of the network.
  std::shared_ptr<grpc::ServerCredentials> called(Admission admission, Refusal refusal) const;
  /// For a call to that agent: only its own certificate.
  std::shared_ptr<grpc::ChannelCredentials> calling(const std::string& agent,
                                                    Refusal refusal) const;
  /// Throws NetworkError unless the peer uses TLS and has a certificate that is not revoked.
  void check_peer(const grpc::AuthContext& peer) const;
  /// Fingerprints of certificates that are refused from now on.
  void revoke(std::vector<std::string> fingerprints);

 private:
  struct Files;
  std::unique_ptr<Files> files_;  // none without TLS
};

/// How many bytes the other end of a stream may send ahead of what was read.
int window_for(std::size_t largest_frame);

/// The largest frame of the network, a roster included if it lives.
std::size_t largest_frame_of(const Network& network);

/// A channel to an agent, with what every connection between agents has in common: keepalive, the
/// largest frame, quick reconnects.
std::shared_ptr<grpc::Channel> open_channel(const Network& network, const std::string& address,
                                            const std::shared_ptr<grpc::ChannelCredentials>& who);

}  // namespace colla
