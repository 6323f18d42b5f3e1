// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/credentials.hpp"

#include "agent/wire/wire.hpp"
#include "files/text.hpp"
#include "roster/certificates.hpp"

#include <colla/error.hpp>

#include <arpa/inet.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <ctime>
#include <mutex>

namespace colla {

// Shared by gRPC's threads and the agent's.
class RevokedKeys {
 public:
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return fingerprints_;
  }
  void replace(std::vector<std::string> fingerprints) {
    const std::lock_guard lock(mutex_);
    fingerprints_ = std::move(fingerprints);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> fingerprints_;
};

namespace {

namespace tls = grpc::experimental;

// All verification happens here: gRPC's own is switched off, as it cannot say what is wrong.
class Verifier final : public tls::ExternalCertificateVerifier {
 public:
  Verifier(std::string authority, std::shared_ptr<const RevokedKeys> revoked, std::string expected,
           Admission admission, Refusal refusal)
      : authority_(std::move(authority)),
        revoked_(std::move(revoked)),
        expected_(std::move(expected)),
        admission_(std::move(admission)),
        refusal_(std::move(refusal)) {}

  bool Verify(tls::TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)> /*later*/, grpc::Status* status) override {
    const std::string reason = refusal_of(*request);
    *status =
        reason.empty() ? grpc::Status::OK : grpc::Status(grpc::StatusCode::UNAUTHENTICATED, reason);
    if (!reason.empty()) refusal_(reason);
    return true;  // now, not later
  }

  void Cancel(tls::TlsCustomVerificationCheckRequest* /*request*/) override {}

 private:
  std::string refusal_of(const tls::TlsCustomVerificationCheckRequest& request) const {
    try {
      const grpc::string_ref certificate = request.peer_cert();
      const CertificateCheck check = check_certificate(
          std::string(certificate.data(), certificate.size()), read_text_file(authority_),
          expected_, std::time(nullptr), revoked_->all());
      return check.refusal.empty() && admission_ ? admission_(check.names) : check.refusal;
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  std::string authority_;  // file
  std::shared_ptr<const RevokedKeys> revoked_;
  std::string expected_;
  Admission admission_;
  Refusal refusal_;
};

bool is_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  if (host == "localhost" || host == "[::1]") return true;
  in_addr number{};
  return ::inet_pton(AF_INET, host.c_str(), &number) == 1 && (ntohl(number.s_addr) >> 24) == 127;
}

void require_loopback(const Home& home) {
  const auto check = [](const std::string& address) {
    if (is_loopback(address)) return;
    throw OptionError(address + " is not a loopback address", "--insecure-loopback",
                      "without TLS all agents must be on one machine");
  };
  check(home.listen);
  for (const RosterAgent& agent : home.network.agents) check(agent.address);
}

}  // namespace

struct Credentials::Files {
  std::shared_ptr<tls::FileWatcherCertificateProvider> own;
  std::string authority;
  std::shared_ptr<RevokedKeys> revoked = std::make_shared<RevokedKeys>();

  std::shared_ptr<tls::CertificateVerifier> verifier(const std::string& expected,
                                                     Admission admission, Refusal refusal) const {
    return tls::ExternalCertificateVerifier::Create<Verifier>(
        authority, revoked, expected, std::move(admission), std::move(refusal));
  }
};

Credentials::Credentials(const Home& home, bool insecure) {
  if (insecure) {
    require_loopback(home);
    return;
  }
  files_ = std::make_unique<Files>();
  files_->own = std::make_shared<tls::FileWatcherCertificateProvider>(
      home.key().string(), home.certificate().string(), home.authority().string(),
      static_cast<unsigned int>(home.look_every / 2));  // before the agent looks again
  files_->authority = home.authority().string();
  revoke(home.network.revoked);
}

Credentials::~Credentials() = default;

std::shared_ptr<grpc::ServerCredentials> Credentials::called(Admission admission,
                                                             Refusal refusal) const {
  if (files_ == nullptr) return grpc::InsecureServerCredentials();
  tls::TlsServerCredentialsOptions options(files_->own);
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_BUT_DONT_VERIFY);
  options.set_certificate_verifier(files_->verifier("", std::move(admission), std::move(refusal)));
  return tls::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> Credentials::calling(const std::string& agent,
                                                               Refusal refusal) const {
  if (files_ == nullptr) return grpc::InsecureChannelCredentials();
  tls::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(files_->own);
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_verify_server_certs(false);
  options.set_check_call_host(false);
  options.set_certificate_verifier(files_->verifier(agent, {}, std::move(refusal)));
  return tls::TlsCredentials(options);
}

void Credentials::check_peer(const grpc::AuthContext& peer) const {
  if (files_ == nullptr) return;
  const auto certificate = peer.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (certificate.empty()) throw NetworkError("it has no certificate", "", "");
  const CertificateCheck check = check_certificate(
      std::string(certificate[0].data(), certificate[0].size()), read_text_file(files_->authority),
      "", std::time(nullptr), files_->revoked->all());
  if (!check.refusal.empty()) throw NetworkError(check.refusal, "", "");
}

void Credentials::revoke(std::vector<std::string> fingerprints) {
  if (files_ != nullptr) files_->revoked->replace(std::move(fingerprints));
}

std::size_t largest_frame_of(const Network& network) {
  const std::size_t largest = largest_frame(network);
  return network.mode == Mode::living ? std::max(largest, longest_roster + 1024) : largest;
}

int window_for(std::size_t largest_frame) {
  return static_cast<int>(std::max<std::size_t>(largest_frame, 16 << 10));
}

std::shared_ptr<grpc::Channel> open_channel(const Network& network, const std::string& address,
                                            const std::shared_ptr<grpc::ChannelCredentials>& who) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // Despite its name, the minimum time that an attempt may take: slow links need it.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const std::size_t frame = largest_frame_of(network);
  arguments.SetMaxReceiveMessageSize(static_cast<int>(frame));
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, window_for(frame));
  return grpc::CreateCustomChannel(address, who, arguments);
}

}  // namespace colla
