// SPDX-License-Identifier: Apache-2.0
// Counts every allocation of this program, Eigen's included; only the packing buffers that
// OpenBLAS's kernels for small matrices allocate inside a call do not count.
#include "random_problems.hpp"

#include <colla/knowledge_base.hpp>
#include <colla/sparse_coding.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>

namespace {
bool counting = false;
long allocations = 0;
}  // namespace

// NOLINTBEGIN: glibc's allocator under its own names
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  Dl_info caller{};
  const bool known = counting && dladdr(__builtin_return_address(0), &caller) != 0;
  const bool by_blas = known && std::strstr(caller.dli_fname, "openblas") != nullptr;
  if (counting && !by_blas) ++allocations;
  return __libc_malloc(size);
}
// NOLINTEND

namespace colla {
namespace {

long allocations_of(const std::function<void()>& work) {
  allocations = 0;
  counting = true;
  work();
  counting = false;
  return allocations;
}

TEST(Allocation, the_counter_counts) {
  EXPECT_GE(allocations_of([] { EXPECT_GT(Matrix::Random(9, 9).eval().size(), 0); }), 1);
}

TEST(Allocation, coding_does_not_allocate) {
  Random random(1);
  const Matrix Z = random.normal_matrix(40, 30);
  const Matrix G = Z.transpose() * Z;
  const Vector c = Z.transpose() * testing::random_vector(random, 40);
  SparseCoder coder(30);
  Vector s = Vector::Zero(30);
  CodeSummary summary;
  EXPECT_EQ(allocations_of([&] { summary = coder.solve(G, c, 1e-3, s); }), 0);
  EXPECT_GT(summary.steps, 10);
}

class SolveAllocation : public ::testing::TestWithParam<Solver> {};

TEST_P(SolveAllocation, updates_of_the_dictionary_do_not_allocate) {
  Random random(2);
  const Index d = 20;
  const Index u = 6;
  KnowledgeBase knowledge(random.normal_matrix(d, u), GetParam());
  for (int t = 0; t < 5; ++t) {
    const Samples X = testing::random_rows(random, 12, d);
    knowledge.add(testing::random_code(random, u), fit_ridge(X, testing::random_vector(random, 12),
                                                             1e-2, knowledge.preferred_form()));
  }
  Matrix coupling = random.normal_matrix(d, u);
  knowledge.prepare(1e-2);
  knowledge.update(coupling);  // BLAS sets up its buffers once
  EXPECT_EQ(allocations_of([&] {
              for (int k = 0; k < 10; ++k) knowledge.update(coupling);
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(BothPaths, SolveAllocation,
                         ::testing::Values(Solver::dense, Solver::matrix_free));

}  // namespace
}  // namespace colla
