# SPDX-License-Identifier: BSD-3-Clause
"""Averages of bilinear samples in the bins of rotated regions, and at the corners of rotated boxes."""

import math

import numpy as np

from . import Value, oracle
from .sampling import bilinear, positions, samples_of, scatter


def _in_bins(positions):
    """[PH, PW, samples in y, samples in x] -> [PH, PW, samples]."""
    return positions.reshape(*positions.shape[:2], positions.shape[2] * positions.shape[3])


def _samples(rois, scale, bins, ratio, shift, least, clockwise):
    """For each region: image, angle, the positions y and x of all samples [PH, PW, samples], and the divisor."""
    scale = np.float64(np.float32(scale))
    for row in rois:
        xc, yc = row[1] * scale - shift, row[2] * scale - shift
        width, height = row[3] * scale, row[4] * scale
        if least:
            width, height = np.maximum(width, 1.0), np.maximum(height, 1.0)
        counts = samples_of(height, bins[0], ratio), samples_of(width, bins[1], ratio)
        v = positions(-height / 2, height, bins[0], counts[0])[:, None, :, None]
        u = positions(-width / 2, width, bins[1], counts[1])[None, :, None, :]
        angle = -row[5] if clockwise else row[5]
        cosine, sine = (math.cos(angle), math.sin(angle)) if math.isfinite(angle) else (math.nan, math.nan)
        y, x = v * cosine - u * sine + yc, v * sine + u * cosine + xc
        product = counts[0] * counts[1]
        yield int(row[0]), row[5], _in_bins(y), _in_bins(x), product if product >= 1 else 1.0


def _average(input, rois, scale, bins, ratio, **options):
    out, size = (np.zeros((len(rois), input.shape[1], *bins)) for _ in range(2))
    for r, (image, _, y, x, divisor) in enumerate(_samples(rois, scale, bins, ratio, **options)):
        values, terms = bilinear(input[image], y, x)
        out[r], size[r] = (values / divisor).sum(-1), (terms / divisor).sum(-1)
    return out, size


def _spread(grad, size_of_grad, rois, shape, scale, ratio, **options):
    out, size = np.zeros(shape), np.zeros(shape)
    for r, (image, _, y, x, divisor) in enumerate(_samples(rois, scale, grad.shape[2:], ratio, **options)):
        for target, source in ((out, grad), (size, size_of_grad)):
            share = np.broadcast_to((source[r] / divisor)[..., None], (*source[r].shape, y.shape[-1]))
            scatter(target[image], y.ravel(), x.ravel(), share.reshape(shape[1], y.size))
    return Value(out, magnitude=size)


@oracle("diopiRoiAlignRotatedMmcv")
def roi_align_rotated(input, rois, aligned_height, aligned_width, sampling_ratio, spatial_scale, aligned, clockwise):
    options = {"shift": 0.5 if aligned else 0.0, "least": not aligned, "clockwise": clockwise}
    bins = (aligned_height, aligned_width)
    out, size = _average(input, rois, spatial_scale, bins, sampling_ratio, **options)
    return Value(out, magnitude=size)


@oracle("diopiRoiAlignRotatedBackwardMmcv")
def roi_align_rotated_backward(top_grad, rois, sampling_ratio, spatial_scale, aligned, clockwise, bottom_grad):
    options = {"shift": 0.5 if aligned else 0.0, "least": not aligned, "clockwise": clockwise}
    return _spread(top_grad, np.abs(top_grad), rois, bottom_grad, spatial_scale, sampling_ratio, **options)


def _turned(angle, orientations):
    """The numbers of the two source orientations of each orientation, and the weight of the second one."""
    turns = angle * orientations / (2 * math.pi)
    whole = math.floor(turns) if math.isfinite(turns) else 0
    first = (np.arange(orientations) - whole) % orientations
    return first, (first + 1) % orientations, turns - whole


_RIRO = {"shift": 0.0, "least": True}


@oracle("diopiRiroiAlignRotatedMmcv")
def riroi_align_rotated(
    features, rois, pooled_height, pooled_width, num_samples, num_orientations, spatial_scale, clockwise
):
    bins = (pooled_height, pooled_width)
    out, size = _average(features, rois, spatial_scale, bins, num_samples, **_RIRO, clockwise=clockwise)
    for values in (out, size):
        grouped = values.reshape(len(rois), features.shape[1] // num_orientations, num_orientations, *bins)
        for r, row in enumerate(rois):
            first, second, part = _turned(row[5], num_orientations)
            grouped[r] = (1 - part) * grouped[r][:, first] + part * grouped[r][:, second]
    return Value(out, magnitude=size)


@oracle("diopiRiroiAlignRotatedBackwardMmcv")
def riroi_align_rotated_backward(top_grad, rois, num_samples, num_orientations, spatial_scale, clockwise, bottom_grad):
    turned = []
    for source in (top_grad, np.abs(top_grad)):
        grouped = source.reshape(len(rois), source.shape[1] // num_orientations, num_orientations, *source.shape[2:])
        back = np.zeros(grouped.shape)
        for r, row in enumerate(rois):
            first, second, part = _turned(row[5], num_orientations)
            for o in range(num_orientations):
                back[r][:, first[o]] += (1 - part) * grouped[r][:, o]
                back[r][:, second[o]] += part * grouped[r][:, o]
        turned.append(back.reshape(source.shape))
    return _spread(turned[0], turned[1], rois, bottom_grad, spatial_scale, num_samples, **_RIRO, clockwise=clockwise)


def _points(boxes, scale, points):
    """The positions (y, x) of the samples of each cell, [N, H, W] each."""
    scale = np.float64(np.float32(scale))
    y, x, width, height = (boxes[..., k] * scale for k in range(4))
    yield y, x
    if points == 5:
        wx, wy = np.cos(boxes[..., 4]) * width / 2, np.sin(boxes[..., 4]) * width / 2
        hx, hy = -np.sin(boxes[..., 4]) * height / 2, np.cos(boxes[..., 4]) * height / 2
        for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
            yield y + a * wy + b * hy, x + a * wx + b * hx


@oracle("diopiRotatedFeatureAlignMmcv")
def rotated_feature_align(features, best_bboxes, spatial_scale, points):
    out, size = features.copy(), np.abs(features)
    for y, x in _points(best_bboxes, spatial_scale, points):
        for n in range(len(features)):
            value, terms = bilinear(features[n], y[n], x[n])
            out[n], size[n] = out[n] + value, size[n] + terms
    return Value(out, magnitude=size)


@oracle("diopiRotatedFeatureAlignBackwardMmcv")
def rotated_feature_align_backward(top_grad, best_bboxes, spatial_scale, points):
    out, size = top_grad.copy(), np.abs(top_grad)
    for y, x in _points(best_bboxes, spatial_scale, points):
        for n in range(len(top_grad)):
            flat = top_grad[n].reshape(top_grad.shape[1], y[n].size)
            scatter(out[n], y[n].ravel(), x[n].ravel(), flat)
            scatter(size[n], y[n].ravel(), x[n].ravel(), np.abs(flat))
    return Value(out, magnitude=size)
