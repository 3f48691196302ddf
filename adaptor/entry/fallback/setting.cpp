// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/fallback/setting.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace diopi::fallback {

namespace {

const char* text_of_environment() { return std::getenv("DIOPI_FALLBACK"); }

const char* text_of(Reason reason) {
  switch (reason) {
    case kAbsent:
      return "the vendor does not have it";
    case kUnsupported:
      return "the vendor does not support a dtype of the call";
    case kConfigured:
      return "the vendor's configuration says so";
    default:
      return "the vendor's function asked for it";
  }
}

}  // namespace

Setting parse_setting(const char* text) {
  if (text == nullptr || *text == '\0' || std::strcmp(text, "on") == 0) return Setting::kOn;
  if (std::strcmp(text, "off") == 0) return Setting::kOff;
  return std::strcmp(text, "warn") == 0 ? Setting::kWarn : Setting::kUnknown;
}

Setting setting() {
  static const Setting read = parse_setting(text_of_environment());
  return read;
}

Status check_setting() {
  DIOPI_REQUIRE(setting() != Setting::kUnknown, diopiErrorOccurred, "DIOPI_FALLBACK = %.64s, expected on, off or warn",
                text_of_environment());
  return diopiSuccess;
}

Status require_allowed() {
  DIOPI_TRY(check_setting());
  DIOPI_REQUIRE(setting() != Setting::kOff, diopiNoImplement,
                "the vendor does not compute this call, and DIOPI_FALLBACK=off forbids that the host does");
  return diopiSuccess;
}

void warn(const char* name, Reason reason) {
  std::fprintf(stderr, "DIOPI_FALLBACK=warn: the host computes %s, because %s\n", name, text_of(reason));
}

}  // namespace diopi::fallback
