// SPDX-License-Identifier: BSD-3-Clause
// Everything that the generated readers of arguments use.
#ifndef IMPL_COMMON_ARGUMENTS_HPP_
#define IMPL_COMMON_ARGUMENTS_HPP_

#include <optional>

#include "impl/common/number_operand.hpp"
#include "impl/common/plan/windows.hpp"
#include "impl/common/rules/dtypes.hpp"
#include "impl/common/rules/losses.hpp"
#include "impl/common/rules/reductions.hpp"
#include "impl/common/rules/results.hpp"
#include "impl/common/rules/shapes.hpp"
#include "impl/common/rules/values.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/view_list.hpp"

#endif  // IMPL_COMMON_ARGUMENTS_HPP_
