// SPDX-License-Identifier: BSD-3-Clause
// The dynamic symbol table of a vendor's library has its operators, two hooks, and nothing else.
#include <gtest/gtest.h>

#include "diopi_test/unit/exported_symbols.hpp"

namespace {

TEST(EntrySymbols, a_library_exports_its_operators_and_two_hooks) {
  const std::set<std::string> names = exported_symbols(SKELETON_LIBRARY);
  for (const char* name :
       {"diopiAdd", "diopiAddInp", "diopiSoftmax", "diopiGetVendorName", "initLibrary", "finalizeLibrary"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  EXPECT_EQ(names.count("diopiGelu"), 0u) << "the vendor does not define this operator";
  for (const std::string& name : names) {
    EXPECT_TRUE(name.rfind("diopi", 0) == 0 || name == "initLibrary" || name == "finalizeLibrary") << name;
  }
}

TEST(EntrySymbols, helpers_of_a_vendor_stay_inside) {
  for (const std::string& name : exported_symbols(PROBE_LIBRARY)) {
    EXPECT_TRUE(name.rfind("diopi", 0) == 0 || name == "initLibrary" || name == "finalizeLibrary") << name;
    EXPECT_EQ(name.find("impl"), std::string::npos) << name;
  }
}

}  // namespace
