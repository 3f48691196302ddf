// SPDX-License-Identifier: BSD-3-Clause
// Finds functions of private copies of other libraries when the vendor's library is loaded. Generated code lists the
// functions.
#ifndef ADAPTOR_ENTRY_IMPORTS_HPP_
#define ADAPTOR_ENTRY_IMPORTS_HPP_

namespace diopi {

struct Import {
  int library;  // index of the library
  const char* name;
};

struct ImportTable {
  const char* folder;  // folder of the copies, relative to the folder of the vendor's library
  const char* const* libraries;
  int num_libraries;
  const Import* imports;
  int num_imports;
  void** functions;  // filled by load_imports()
};

// Loads the libraries for this library only, and fills the table. On failure `load_failure` names what is missing, or
// reports that DIOPI_NUM_THREADS is not a number of threads. One of the libraries reads that variable when it is
// loaded.
void load_imports(const ImportTable& table) noexcept;

}  // namespace diopi

#endif  // ADAPTOR_ENTRY_IMPORTS_HPP_
