// SPDX-License-Identifier: BSD-3-Clause
// Which operators and which of their calls the modes see.
#ifndef ADAPTOR_LAYER_SELECTION_HPP_
#define ADAPTOR_LAYER_SELECTION_HPP_

#include <cstdint>
#include <string>

namespace diopi::layer {

// The first problem of a list of regular expressions with commas; empty if the list is right.
std::string pattern_problem(const std::string& patterns);

// Whether one of the expressions matches the whole name.
bool matches(const std::string& patterns, const char* name);

// Whether the settings select an operator.
bool is_selected(const char* name);

// Whether the calls of an operator are counted: not if only the mode time looks at every call, which must be quick.
bool counts_calls();

// Counts a call of an operator and returns its number, from 1.
int64_t count_call(int index);

// Whether the modes see the call of an operator with this number.
bool is_chosen(int64_t number_of_operator);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_SELECTION_HPP_
