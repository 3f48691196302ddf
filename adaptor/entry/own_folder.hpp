// SPDX-License-Identifier: BSD-3-Clause
// Where the library of this code lies. The files that the library opens lie beside it.
#ifndef ADAPTOR_ENTRY_OWN_FOLDER_HPP_
#define ADAPTOR_ENTRY_OWN_FOLDER_HPP_

#include <climits>

namespace diopi {

// Finds the folder of the file from which this code was loaded, after following links; false if it cannot be found.
bool find_own_folder(char (&folder)[PATH_MAX]) noexcept;

}  // namespace diopi

#endif  // ADAPTOR_ENTRY_OWN_FOLDER_HPP_
