# SPDX-License-Identifier: Apache-2.0
"""ELLA with NumPy, SciPy and scikit-learn, computed as in the published Python code: an ordinary regression per
task, a matrix square root of its Hessian, scikit-learn's Lasso for the code, Kronecker products, a dense inverse of
order d u after every task. Written from the algorithm's description, to be timed beside colla."""
import numpy as np
from scipy.linalg import sqrtm
from sklearn.linear_model import Lasso, LinearRegression


class Ella:
    """One agent; vec L stacks the columns."""

    def __init__(self, dictionary, mu, lam):
        self.L = np.array(dictionary)
        self.d, self.u = self.L.shape
        self.mu, self.lam = mu, lam
        self.A = np.zeros((self.d * self.u, self.d * self.u))
        self.b = np.zeros(self.d * self.u)
        self.codes = []

    def learn(self, X, y):
        theta = LinearRegression(fit_intercept=False).fit(X, y).coef_
        hessian = X.T @ X / (2 * len(y))
        root = np.real(sqrtm(hessian))
        lasso = Lasso(alpha=self.mu / (2 * self.d), fit_intercept=False)
        s = lasso.fit(root @ self.L, root @ theta).coef_
        self.codes.append(s)
        self.A += np.kron(np.outer(s, s), hessian)
        self.b += np.kron(s, hessian @ theta)
        tasks = len(self.codes)
        system = self.A / tasks + self.lam * np.eye(len(self.A))
        self.L = (np.linalg.inv(system) @ (self.b / tasks)).reshape(self.u, self.d).T
