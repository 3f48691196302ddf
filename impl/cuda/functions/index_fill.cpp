// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/index_fill.hpp"
