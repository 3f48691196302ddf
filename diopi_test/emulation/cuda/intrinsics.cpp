// SPDX-License-Identifier: BSD-3-Clause
#include <diopi_emulation/intrinsics.hpp>

#include <atomic>
#include <limits>

namespace diopi::emulation {

namespace {

constexpr double kTwoOverRootPi = 1.12837916709551257390;

// Solves erfc(x) = y for 0 < y < 1 by Halley's method, on the logarithm so that small y converge, too.
double solve_erfc(double y) {
  const double t = sqrt(-2 * ::log(y / 2));
  double x = 0.70710678118654752440 * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
  for (int step = 0; step < 4; ++step) {
    const double error = ::erfc(x) - y;
    const double slope = -kTwoOverRootPi * ::exp(-x * x);
    if (slope == 0) break;
    const double newton = error / slope;
    x -= newton / (1 + x * newton);
  }
  return x;
}

}  // namespace

double erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return std::numeric_limits<double>::quiet_NaN();
  if (y == 0) return std::numeric_limits<double>::infinity();
  if (y == 2) return -std::numeric_limits<double>::infinity();
  return y <= 1 ? solve_erfc(y) : -solve_erfc(2 - y);
}

double erfinv(double x) {
  if (!(x >= -1 && x <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (fabs(x) > 0.5) return x > 0 ? erfcinv(1 - x) : -erfcinv(1 + x);
  // Near zero the complement would lose digits: Newton's method on erf itself.
  double y = x / kTwoOverRootPi;
  for (int step = 0; step < 6; ++step) {
    const double newton = (::erf(y) - x) / (kTwoOverRootPi * ::exp(-y * y));
    y -= newton / (1 + y * newton);
  }
  return y;
}

// Each fence comes after the ones before it. ThreadSanitizer knows the order of atomics on one variable, not that of
// fences.
void thread_fence() {
  static std::atomic<unsigned> fences;
  fences.fetch_add(1);
}

}  // namespace diopi::emulation
