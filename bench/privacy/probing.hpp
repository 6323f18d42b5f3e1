// SPDX-License-Identifier: Apache-2.0
// What a neighbour that sends arbitrary dictionaries learns about an agent with other neighbours.
// Their part of the coupling is unknown: residuals lack it.
#pragma once

#include "privacy/listening.hpp"

namespace colla::privacy {

/// The share of the agent's only task from d answers to dictionaries that grow by a large factor an
/// exchange: the other neighbours' part depends on earlier ones and is smaller by that factor.
/// `complete` is an answer with a complete residual.
Share identify_by_growth(std::span<const Answer> growing, const Answer& complete);

/// The same from answers to random dictionaries of one size. What one other neighbour adds is a
/// linear function of the last exchanges, which a regression finds with the share: 4 du + 1 numbers
/// for each of the residual's, so more answers than that are needed.
Share identify_by_history(std::span<const Answer> steady, const Answer& complete);

}  // namespace colla::privacy
