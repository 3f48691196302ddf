// SPDX-License-Identifier: BSD-3-Clause
// Functions of private copies of other libraries, found when the vendor's library is loaded: generated code says which.
#pragma once

namespace diopi {

struct Import {
  int library;  // its index
  const char* name;
};

struct ImportTable {
  const char* folder;  // of the copies, seen from the folder of the vendor's library
  const char* const* libraries;
  int num_libraries;
  const Import* imports;
  int num_imports;
  void** functions;  // to be filled
};

// Loads the libraries for this library alone and fills the table. On failure `load_failure` says what is missing, or
// that DIOPI_NUM_THREADS, which one of the libraries reads when it is loaded, is not a number of threads.
void load_imports(const ImportTable& table) noexcept;

}  // namespace diopi
