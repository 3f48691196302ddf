// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/scatter_gather.hpp"
