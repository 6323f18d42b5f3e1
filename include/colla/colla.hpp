// SPDX-License-Identifier: Apache-2.0
// The whole library: `find_package(colla)`, link colla::colla, include this. examples/cpp shows it.
//
//   one agent     LifelongAgent          many          make_graph, InProcessEngine, learn_step
//   predictions   scores, probability    all at once   learn_offline, fit_go_mtl
//
// Compile with the library's processor options (-march and the like): the memory layout of Eigen's
// types depends on them.
#pragma once

#include <colla/agent_state.hpp>
#include <colla/curvature.hpp>
#include <colla/engine.hpp>
#include <colla/error.hpp>
#include <colla/exchange_order.hpp>
#include <colla/exchange_plan.hpp>
#include <colla/go_mtl.hpp>
#include <colla/graph.hpp>
#include <colla/healing.hpp>
#include <colla/inprocess_engine.hpp>
#include <colla/knowledge_base.hpp>
#include <colla/learner.hpp>
#include <colla/learning.hpp>
#include <colla/lifelong_agent.hpp>
#include <colla/living_agent.hpp>
#include <colla/matrix.hpp>
#include <colla/metric.hpp>
#include <colla/names.hpp>
#include <colla/network_options.hpp>
#include <colla/numerics.hpp>
#include <colla/participant.hpp>
#include <colla/pause.hpp>
#include <colla/posterior.hpp>
#include <colla/prediction.hpp>
#include <colla/prior_agent.hpp>
#include <colla/prior_options.hpp>
#include <colla/problem.hpp>
#include <colla/random.hpp>
#include <colla/released_batch.hpp>
#include <colla/row_value.hpp>
#include <colla/setting.hpp>
#include <colla/single_task.hpp>
#include <colla/solve_summary.hpp>
#include <colla/sparse_coding.hpp>
#include <colla/task_rows.hpp>
#include <colla/task_statistics.hpp>
