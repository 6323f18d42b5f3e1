// SPDX-License-Identifier: Apache-2.0
#include "training/test_scores.hpp"

#include <colla/prediction.hpp>

namespace colla {

void TestScores::arrived(std::size_t agent, std::size_t batch) {
  newest_[agent][test_.agents[agent].batches[batch].task] = batch;
}

double TestScores::score(std::size_t agent, const std::string& task,
                         const VectorView& theta) const {
  const Batch& rows = test_.agents[agent].batches[batch(agent, task)];
  return main_measure(test_.problem).of(rows.y, scores(rows.X, theta));
}

double TestScores::score(std::size_t agent, const std::string& task,
                         const TaskPredictor& predictor) const {
  const Batch& rows = test_.agents[agent].batches[batch(agent, task)];
  Vector predictions(rows.y.size());
  for (Index i = 0; i < rows.y.size(); ++i) {
    predictions[i] = predictor.predict(rows.X.row(i)).mean;
  }
  return main_measure(test_.problem).of(rows.y, predictions);
}

}  // namespace colla
