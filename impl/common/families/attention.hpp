// SPDX-License-Identifier: BSD-3-Clause
// Attention in all its forms. impl/<vendor>/functions/attention.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_ATTENTION_HPP_
#define IMPL_COMMON_FAMILIES_ATTENTION_HPP_

#include "impl/common/families/attention_customized.hpp"
#include "impl/common/families/attention_customized_packed.hpp"
#include "impl/common/families/attention_flash.hpp"
#include "impl/common/families/attention_multi_head.hpp"
#include "impl/common/families/attention_prompt.hpp"

#include "functions/attention.hpp"

#endif  // IMPL_COMMON_FAMILIES_ATTENTION_HPP_
