// SPDX-License-Identifier: BSD-3-Clause
// The region operators of mmcv. impl/<vendor>/functions/mmcv_roi.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_ROI_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_ROI_HPP_

#include "arguments/mmcv_roi.hpp"
#include "impl/common/families/mmcv_roi_align.hpp"
#include "impl/common/families/mmcv_roi_points.hpp"
#include "impl/common/families/mmcv_roi_pool.hpp"
#include "functions/mmcv_roi.hpp"

#endif  // IMPL_COMMON_FAMILIES_MMCV_ROI_HPP_
