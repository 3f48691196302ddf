// SPDX-License-Identifier: BSD-3-Clause
// The CPU vendor in a process that has its own oneDNN, BLAS and OpenMP, or that lacks what the vendor needs.
#include <dlfcn.h>
#include <stdlib.h>  // NOLINT: mkdtemp is not of C++

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "diopi_test/unit/vendor_fixture.hpp"

namespace vendor_test {
namespace {

class HostileProcess : public VendorTest {
 protected:
  HostileProcess() : VendorTest(CPU_LIBRARY) {}

  template <typename T>
  static std::vector<T> counted(int64_t n) {
    std::vector<T> result(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) result[static_cast<size_t>(i)] = static_cast<T>(i % 7 - 3);
    return result;
  }

  // out[i, j] = sum over k of a[i, k] * b[k, j]
  template <typename T>
  static std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, int64_t n) {
    std::vector<T> out(a.size());
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < n; ++k) {
        for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
    return out;
  }

  template <typename T>
  void check_product(int64_t n) {
    const std::vector<T> a = counted<T>(n * n);
    std::vector<T> b = a;
    std::rotate(b.begin(), b.begin() + 5, b.end());
    const auto x = tensor<T>({n, n}, a), y = tensor<T>({n, n}, b), out = tensor<T>({n, n}, std::vector<T>(a.size()));
    ASSERT_EQ(CALL(diopiMm)(ctx_, out, x, y), diopiSuccess) << message();
    EXPECT_EQ(values<T>(out), product(a, b, n));
  }
};

TEST_F(HostileProcess, the_fakes_are_ahead_of_every_library) {
  const void* const program = dlsym(RTLD_DEFAULT, "GOMP_parallel");
  Dl_info info{};
  ASSERT_NE(dladdr(program, &info), 0);
  EXPECT_EQ(std::filesystem::weakly_canonical(info.dli_fname), std::filesystem::read_symlink("/proc/self/exe"));
}

TEST_F(HostileProcess, products_of_float32_use_the_librarys_own_onednn) { check_product<float>(192); }

TEST_F(HostileProcess, products_of_float64_use_the_librarys_own_blas) { check_product<double>(192); }

TEST_F(HostileProcess, convolution_uses_the_librarys_own_onednn) {
  const auto x = tensor<float>({2, 8, 16, 16}, std::vector<float>(2 * 8 * 16 * 16, 1));
  const auto w = tensor<float>({8, 8, 3, 3}, std::vector<float>(8 * 8 * 3 * 3, 1));
  const auto out = tensor<float>({2, 8, 14, 14}, std::vector<float>(2 * 8 * 14 * 14));
  const int64_t ones[] = {1, 1}, zeros[] = {0, 0};
  const auto convolve = CALL(diopiConvolution2d);
  ASSERT_EQ(convolve(ctx_, out, x, w, nullptr, {ones, 2}, {zeros, 2}, {ones, 2}, 1), diopiSuccess) << message();
  EXPECT_EQ(values<float>(out), std::vector<float>(2 * 8 * 14 * 14, 72));
}

TEST_F(HostileProcess, element_wise_work_on_several_threads_uses_the_librarys_own_openmp) {
  const int64_t n = int64_t{1} << 20;
  const std::vector<float> a = counted<float>(n);
  const auto x = tensor<float>({n}, a), out = tensor<float>({n}, std::vector<float>(a.size()));
  const diopiScalar_t one = scalar(1.0);
  ASSERT_EQ(CALL(diopiAdd)(ctx_, out, x, x, &one), diopiSuccess) << message();
  std::vector<float> expected = a;
  for (float& v : expected) v += v;
  EXPECT_EQ(values<float>(out), expected);
}

TEST_F(HostileProcess, sorting_uses_the_librarys_own_highway) {
  const int64_t n = 5000;
  std::vector<float> a = counted<float>(n);
  const auto x = tensor<float>({n}, a), out = tensor<float>({n}, std::vector<float>(a.size()));
  const auto index = tensor<int64_t>({n}, std::vector<int64_t>(a.size()));
  ASSERT_EQ(CALL(diopiSort)(ctx_, out, index, x, 0, false, nullptr), diopiSuccess) << message();
  std::sort(a.begin(), a.end());
  EXPECT_EQ(values<float>(out), a);
}

// A copy of only the library, as if a file of the installation had been forgotten.
TEST(MissingDependency, is_an_error_of_initLibrary_that_names_the_file) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "diopi-lonely-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr) << pattern;
  const fs::path folder = pattern;
  fs::copy_file(CPU_LIBRARY, folder / "libdiopi_impl.so");
  diopirtLibraryHandle_t library = nullptr;
  EXPECT_EQ(diopirtLoadLibrary((folder / "libdiopi_impl.so").c_str(), &library), diopiErrorOccurred);
  EXPECT_EQ(library, nullptr);
  const std::string text = diopirtGetLastErrorString();
  EXPECT_NE(text.find("cannot be loaded"), std::string::npos) << text;
  EXPECT_NE(text.find((folder / "diopi/libgomp-diopi-").string()), std::string::npos) << text;

  // An operator of that library returns the same message.
  void* const image = dlopen((folder / "libdiopi_impl.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(image, nullptr) << dlerror();
  const auto relu = reinterpret_cast<decltype(&diopiRelu)>(dlsym(image, "diopiRelu"));
  EXPECT_EQ(relu(nullptr, nullptr, nullptr), diopiErrorOccurred);
  const auto say = reinterpret_cast<decltype(&diopiGetLastErrorString)>(dlsym(image, "diopiGetLastErrorString"));
  EXPECT_NE(std::string(say()).find("diopiRelu: a library that this one needs cannot be loaded"), std::string::npos)
      << say();
  fs::remove_all(folder);
}

}  // namespace
}  // namespace vendor_test
