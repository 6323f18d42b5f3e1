// SPDX-License-Identifier: Apache-2.0
// The signature of a roster is the last line of its file:
//
//     # signed by the network's authority: <base64>
//
// ECDSA on P-256 with SHA-256, in DER, of "colla roster\n" and all bytes before that line.
#pragma once

#include "roster/certificates.hpp"

#include <string>
#include <string_view>

namespace colla {

/// The bytes before a signature; all of them if there is none.
std::string_view signed_part(std::string_view text);
/// The text with its signature. It must end with a line's end. Throws DataError as
/// `issue_certificate` does.
std::string with_signature(const std::string& text, const Credential& authority);
/// Why the text is not one that this authority signed, whose certificate `authority_pem` is; empty
/// if it is. A change of any byte is one of the reasons.
std::string check_signature(std::string_view text, const std::string& authority_pem);

}  // namespace colla
