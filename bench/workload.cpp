// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>

namespace colla::bench {

std::string Shape::name() const {
  return std::to_string(features) + "x" + std::to_string(atoms) + "/rows:" + std::to_string(rows);
}

std::vector<Batch> make_batches(const Shape& shape, Index count) {
  SyntheticOptions options;
  options.problem = shape.problem;
  options.tasks_per_agent = count;
  options.rows = shape.rows;
  options.features = shape.features;
  options.atoms = shape.atoms;
  options.active = std::max<Index>(1, shape.atoms / 2);
  return make_tasks(options).data.agents[0].batches;
}

AgentOptions agent_options(const Shape& shape) {
  AgentOptions options;
  options.problem = shape.problem;
  options.features = shape.features;
  options.atoms = shape.atoms;
  return options;
}

LifelongAgent experienced_agent(const Shape& shape, const std::vector<Batch>& batches) {
  LifelongAgent agent(agent_options(shape));
  for (const Batch& batch : batches) agent.learn(batch.task, batch.X, batch.y);
  return agent;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace colla::bench
