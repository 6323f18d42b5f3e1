// SPDX-License-Identifier: Apache-2.0
#include <colla/prior_agent.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace colla {

double TaskPredictor::Part::mean(const Eigen::Ref<const Eigen::RowVectorXd>& x) const {
  return x.dot((posterior != nullptr ? posterior->theta() : prior.mean).transpose());
}

double TaskPredictor::Part::variance(const Eigen::Ref<const Eigen::RowVectorXd>& x) const {
  return posterior != nullptr ? posterior->variance(x) : prior.variance(x);
}

// A mixture's variance is the mean of its parts' variances and the variance of their means. The
// probability of a class, averaged over a normal score, is nearly that of the score divided by
// sqrt(1 + pi/8 variance) (MacKay 1992).
Predicted TaskPredictor::predict(const Eigen::Ref<const Eigen::RowVectorXd>& x) const {
  return has_labels_ ? Predicted{score(x), 0.0} : observation(x);
}

Predicted TaskPredictor::observation(const Eigen::Ref<const Eigen::RowVectorXd>& x) const {
  double mean = 0.0;
  for (const Part& part : parts_) mean += part.weight * part.mean(x);
  double variance = 0.0;
  for (const Part& part : parts_) {
    const double apart = part.mean(x) - mean;
    variance += part.weight * (part.variance(x) + part.prior.noise + apart * apart);
  }
  return {mean, std::sqrt(variance)};
}

double TaskPredictor::score(const Eigen::Ref<const Eigen::RowVectorXd>& x) const {
  const auto of = [&x](const Part& part) {
    return part.mean(x) / std::sqrt(1.0 + std::numbers::pi / 8.0 * part.variance(x));
  };
  if (parts_.size() == 1) return of(parts_.front());
  double tilt = 0.0;  // 2 probability - 1 = tanh(score/2)
  for (const Part& part : parts_) tilt += part.weight * std::tanh(0.5 * of(part));
  return 2.0 * std::atanh(std::clamp(tilt, -1.0 + 1e-15, 1.0 - 1e-15));
}

Vector TaskPredictor::theta() const {
  Vector mean = Vector::Zero(parts_.front().prior.mean.size());
  for (const Part& part : parts_) {
    mean += part.weight * (part.posterior != nullptr ? part.posterior->theta() : part.prior.mean);
  }
  return mean;
}

Vector TaskPredictor::variances() const {
  Vector squares = Vector::Zero(parts_.front().prior.mean.size());
  for (const Part& part : parts_) {
    const bool has_rows = part.posterior != nullptr;
    const Vector mean = has_rows ? part.posterior->theta() : part.prior.mean;
    const Vector own = has_rows ? part.posterior->variances() : part.prior.variances();
    squares += part.weight * (own + mean.cwiseAbs2());
  }
  return (squares - theta().cwiseAbs2()).cwiseMax(0.0);
}

}  // namespace colla
