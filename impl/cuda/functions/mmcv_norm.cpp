// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/mmcv_norm.hpp"
