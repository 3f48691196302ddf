// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/im2col.hpp"
