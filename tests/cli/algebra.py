# SPDX-License-Identifier: Apache-2.0
"""Linear algebra on lists of rows, and the formulas of DESIGN section 2 in their plainest form."""


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def transpose(A):
    return [list(column) for column in zip(*A)]


def times(A, B):
    columns = transpose(B)
    return [[dot(row, column) for column in columns] for row in A]


def apply(A, x):
    return [dot(row, x) for row in A]


def solve(A, b):
    """x of A x = b, by elimination with row exchanges."""
    rows = [list(row) + [value] for row, value in zip(A, b, strict=True)]
    n = len(rows)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - dot(rows[k][k + 1:n], x[k + 1:])) / rows[k][k]
    return x


def ridge(X, y, gamma):
    """Gamma = X'X/M + gamma I, and alpha with Gamma alpha = X'y/M."""
    M = len(X)
    Xt = transpose(X)
    Gamma = [[value / M + (gamma if i == j else 0.0) for j, value in enumerate(row)]
             for i, row in enumerate(times(Xt, X))]
    return solve(Gamma, [value / M for value in apply(Xt, y)]), Gamma


def dictionary(tasks, penalty):
    """L of (A/T + penalty I) vec L = b/T, with A the sum of (s s') kron Gamma and b of
    s kron (Gamma alpha) over tasks (s, alpha, Gamma)."""
    d, u, T = len(tasks[0][1]), len(tasks[0][0]), len(tasks)
    A = [[penalty if i == j else 0.0 for j in range(d * u)] for i in range(d * u)]
    b = [0.0] * (d * u)
    for s, alpha, Gamma in tasks:
        weighted = apply(Gamma, alpha)
        for p in range(u):
            for i in range(d):
                b[p * d + i] += s[p] * weighted[i] / T
                for q in range(u):
                    for j in range(d):
                        A[p * d + i][q * d + j] += s[p] * s[q] * Gamma[i][j] / T
    vec = solve(A, b)
    return [[vec[p * d + i] for p in range(u)] for i in range(d)]


def coding_violation(s, L, alpha, Gamma, mu):
    """How far s is from argmin |alpha - L s|^2_Gamma + mu |s|_1: the largest violation of
    g = -mu sign(s) where s is not 0, |g| <= mu where it is, with g = 2 L'Gamma (L s - alpha)."""
    residual = [x - a for x, a in zip(apply(L, s), alpha, strict=True)]
    gradient = [2.0 * value for value in apply(transpose(L), apply(Gamma, residual))]
    return max(abs(g + (mu if x > 0 else -mu)) if x != 0 else max(0.0, abs(g) - mu)
               for g, x in zip(gradient, s))


def distance(actual, expected):
    """|actual - expected| relative to the largest entry expected, of two matrices."""
    pairs = [pair for rows in zip(actual, expected, strict=True) for pair in zip(*rows, strict=True)]
    return max(abs(a - e) for a, e in pairs) / max(abs(e) for _, e in pairs)
