// SPDX-License-Identifier: BSD-3-Clause
// The dynamic symbol table of a vendor's library has its operators, two hooks, and nothing else.
#include <gtest/gtest.h>

#include "diopi_test/unit/exported_symbols.hpp"

namespace {

TEST(EntrySymbols, a_library_exports_its_operators_and_two_hooks) {
  EXPECT_EQ(
      exported_symbols(SKELETON_LIBRARY),
      (std::set<std::string>{"diopiAdd",           "diopiAddInp",      "diopiCastDtype",      "diopiCat",
                             "diopiContiguous",    "diopiCopyInp",     "diopiGetImplVersion", "diopiGetLastErrorString",
                             "diopiGetVendorName", "diopiIndexSelect", "diopiLinear",         "diopiMaskedSelect",
                             "diopiMaxPool2d",     "diopiMul",         "diopiNonzero",        "diopiRelu",
                             "diopiReluInp",       "diopiSum",         "finalizeLibrary",     "initLibrary"}));
}

TEST(EntrySymbols, helpers_of_a_vendor_stay_inside) {
  for (const std::string& name : exported_symbols(PROBE_LIBRARY)) {
    EXPECT_TRUE(name.rfind("diopi", 0) == 0 || name == "initLibrary" || name == "finalizeLibrary") << name;
    EXPECT_EQ(name.find("impl"), std::string::npos) << name;
  }
}

}  // namespace
