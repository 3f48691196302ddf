// SPDX-License-Identifier: BSD-3-Clause
// The environment variable DIOPI_FALLBACK: whether the host may compute in place of the device.
#ifndef ADAPTOR_ENTRY_FALLBACK_SETTING_HPP_
#define ADAPTOR_ENTRY_FALLBACK_SETTING_HPP_

#include "adaptor/entry/fallback/ledger.hpp"
#include "impl/common/error.hpp"

namespace diopi::fallback {

enum class Setting {
  kOn,
  kOff,   // calls that need the host fail
  kWarn,  // the first call of each operator on the host writes a line to the standard error output
  kUnknown,
};

// The setting that a text means. Null and an empty text mean kOn.
Setting parse_setting(const char* text);

// The setting of the process. The variable is read once.
Setting setting();

// Fails if the variable has an unknown value.
Status check_setting();

// Fails if the host must not compute.
Status require_allowed();

// Writes the line of an operator's first call on the host.
void warn(const char* name, Reason reason);

}  // namespace diopi::fallback

#endif  // ADAPTOR_ENTRY_FALLBACK_SETTING_HPP_
