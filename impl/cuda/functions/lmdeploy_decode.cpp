// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/lmdeploy_decode.hpp"
