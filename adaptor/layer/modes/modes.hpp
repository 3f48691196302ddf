// SPDX-License-Identifier: BSD-3-Clause
// The modes by name. Each has a file of its own.
#ifndef ADAPTOR_LAYER_MODES_MODES_HPP_
#define ADAPTOR_LAYER_MODES_MODES_HPP_

#include <memory>
#include <string>
#include <vector>

#include "adaptor/layer/call.hpp"

namespace diopi::layer {

std::unique_ptr<Mode> make_trace();
std::unique_ptr<Mode> make_contract();
std::unique_ptr<Mode> make_fallback();
std::unique_ptr<Mode> make_compare();
std::unique_ptr<Mode> make_capture();
std::unique_ptr<Mode> make_time();
std::unique_ptr<Mode> make_memory();
std::unique_ptr<Mode> make_values();

bool is_mode(const std::string& name);
// The names of all modes, with commas.
std::string mode_names();
// Makes the modes of these names, which is_mode() knows, in the order of the table in modes.cpp.
std::vector<std::unique_ptr<Mode>> make_modes(const std::vector<std::string>& names);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_MODES_HPP_
