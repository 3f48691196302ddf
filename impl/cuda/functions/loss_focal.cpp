// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/loss_focal.hpp"
