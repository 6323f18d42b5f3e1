// SPDX-License-Identifier: Apache-2.0
// Four numbers at a time, in one instruction where the processor can. The operations and their
// order are those of the source on every processor: the same bits everywhere.
#pragma once

namespace colla {

// NOLINTBEGIN(modernize-use-using): the attributes
typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long WholeLanes __attribute__((vector_size(32), aligned(8), may_alias));
// NOLINTEND(modernize-use-using)

inline const Lanes* lanes(const double* entries) { return reinterpret_cast<const Lanes*>(entries); }
inline Lanes* lanes(double* entries) { return reinterpret_cast<Lanes*>(entries); }

// Compiles a function once for processors with AVX2 and once for the rest; which one runs is
// decided when the program starts. ThreadSanitizer cannot follow that.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define COLLA_FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define COLLA_FOR_EACH_PROCESSOR
#endif

// A part of such a function.
#define COLLA_PART_OF_KERNEL inline __attribute__((always_inline))

// sums = (sum a, sum b, sum c, sum d), each as (x0 + x1) + (x2 + x3)
COLLA_PART_OF_KERNEL void add_up(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d,
                                 Lanes& sums) {
  const Lanes ab =
      __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Lanes cd =
      __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

}  // namespace colla
