# SPDX-License-Identifier: BSD-3-Clause
"""Averages of bilinear samples in the bins of rotated regions, and at the corners of rotated boxes."""

import math

import numpy as np

from . import Value, oracle
from .region_averages import divisor_of
from .sampling import Places, bilinear, number_type, places, positions, samples_of, scatter


def _in_bins(positions):
    """[PH, PW, samples in y, samples in x] -> [PH, PW, samples]."""
    return positions.reshape(*positions.shape[:2], positions.shape[2] * positions.shape[3])


def _box(row, scale, shift, least, number):
    """(centre, size) in y and in x."""
    with np.errstate(all="ignore"):
        xc, yc, width, height = (number(row[k]) * number(scale) for k in range(1, 5))
        xc, yc = xc - number(shift), yc - number(shift)
    if least:
        width, height = np.maximum(width, number(1)), np.maximum(height, number(1))
    return (yc, height), (xc, width)


def _samples(rois, scale, bins, ratio, shift, least, clockwise, number):
    """For each region: image, the positions of all samples [PH, PW, samples], and the divisor."""
    scale = np.float32(scale)
    for row in rois:
        rounded = _box(row, scale, shift, least, number)
        counts = [samples_of(size, n, ratio, True) for (_, size), n in zip(rounded, bins)]
        if not np.isfinite(row[1:]).all():
            counts = [math.nan] * 2

        def at(number, row=row, counts=counts):
            (yc, height), (xc, width) = _box(row, scale, shift, least, number)
            v = positions(-height / number(2), height, bins[0], counts[0])[:, None, :, None]
            u = positions(-width / number(2), width, bins[1], counts[1])[None, :, None, :]
            angle = float(-row[5] if clockwise else row[5])
            cosine, sine = (number(f(angle)) if math.isfinite(angle) else number(0) for f in (math.cos, math.sin))
            return _in_bins(v * cosine - u * sine + yc), _in_bins(v * sine + u * cosine + xc)

        yield int(row[0]), places(at, number), divisor_of(counts)


def _average(input, rois, scale, bins, ratio, **options):
    out, size = (np.zeros((len(rois), input.shape[1], *bins)) for _ in range(2))
    for r, (image, at, divisor) in enumerate(_samples(rois, scale, bins, ratio, **options)):
        values, terms = bilinear(input[image], at)
        out[r], size[r] = (values / divisor).sum(-1), (terms / divisor).sum(-1)
    return out, size


def _spread(grad, size_of_grad, rois, shape, scale, ratio, **options):
    out, size = np.zeros(shape), np.zeros(shape)
    for r, (image, at, divisor) in enumerate(_samples(rois, scale, grad.shape[2:], ratio, **options)):
        flat = Places(*(a.ravel() for a in at))
        for target, source in ((out, grad), (size, size_of_grad)):
            share = np.broadcast_to((source[r] / divisor)[..., None], (*source[r].shape, at.y.shape[-1]))
            scatter(target[image], flat, share.reshape(shape[1], at.y.size))
    return Value(out, magnitude=size)


def _options(aligned, clockwise, dtypes):
    shift, number = 0.5 if aligned else 0.0, number_type(dtypes["rois"])
    return {"shift": shift, "least": not aligned, "clockwise": clockwise, "number": number}


@oracle("diopiRoiAlignRotatedMmcv")
def roi_align_rotated(
    input, rois, aligned_height, aligned_width, sampling_ratio, spatial_scale, aligned, clockwise, dtypes
):
    options, bins = _options(aligned, clockwise, dtypes), (aligned_height, aligned_width)
    out, size = _average(input, rois, spatial_scale, bins, sampling_ratio, **options)
    return Value(out, magnitude=size)


@oracle("diopiRoiAlignRotatedBackwardMmcv")
def roi_align_rotated_backward(top_grad, rois, sampling_ratio, spatial_scale, aligned, clockwise, bottom_grad, dtypes):
    options = _options(aligned, clockwise, dtypes)
    return _spread(top_grad, np.abs(top_grad), rois, bottom_grad, spatial_scale, sampling_ratio, **options)


def _turned(angle, orientations, number):
    """The numbers of the two source orientations of each orientation, and the weight of the second one. mmcv rounds
    down in float32."""
    turns = angle * orientations / (2 * math.pi)
    with np.errstate(all="ignore"):
        rounded = float(np.float32(number(float(number(angle) * number(orientations)) / (2 * math.pi))))
    lower = rounded if math.isfinite(rounded) else turns
    whole = math.floor(lower) if math.isfinite(turns) else 0
    first = (np.arange(orientations) - whole) % orientations
    return first, (first + 1) % orientations, turns - whole


@oracle("diopiRiroiAlignRotatedMmcv")
def riroi_align_rotated(
    features, rois, pooled_height, pooled_width, num_samples, num_orientations, spatial_scale, clockwise, dtypes
):
    options, bins = _options(False, clockwise, dtypes), (pooled_height, pooled_width)
    out, size = _average(features, rois, spatial_scale, bins, num_samples, **options)
    for values, weight in ((out, float), (size, abs)):
        grouped = values.reshape(len(rois), features.shape[1] // num_orientations, num_orientations, *bins)
        for r, row in enumerate(rois):
            first, second, part = _turned(row[5], num_orientations, options["number"])
            grouped[r] = weight(1 - part) * grouped[r][:, first] + weight(part) * grouped[r][:, second]
    return Value(out, magnitude=size)


@oracle("diopiRiroiAlignRotatedBackwardMmcv")
def riroi_align_rotated_backward(
    top_grad, rois, num_samples, num_orientations, spatial_scale, clockwise, bottom_grad, dtypes
):
    turned, options = [], _options(False, clockwise, dtypes)
    for source, weight in ((top_grad, float), (np.abs(top_grad), abs)):
        grouped = source.reshape(len(rois), source.shape[1] // num_orientations, num_orientations, *source.shape[2:])
        back = np.zeros(grouped.shape)
        for r, row in enumerate(rois):
            first, second, part = _turned(row[5], num_orientations, options["number"])
            for o in range(num_orientations):
                back[r][:, first[o]] += weight(1 - part) * grouped[r][:, o]
                back[r][:, second[o]] += weight(part) * grouped[r][:, o]
        turned.append(back.reshape(source.shape))
    return _spread(turned[0], turned[1], rois, bottom_grad, spatial_scale, num_samples, **options)


def _corner(boxes, scale, number, along, across):
    """The positions (y, x) of the centres, or of a corner, of each cell, [N, H, W] each."""
    scale = number(np.float32(scale))
    y, x, width, height = (boxes[..., k].astype(number) * scale for k in range(4))
    if not along:
        return y, x
    cosine, sine = (f(boxes[..., 4]).astype(number) for f in (np.cos, np.sin))
    width, height = width / number(2), height / number(2)
    wx, wy, hx, hy = cosine * width, sine * width, -sine * height, cosine * height
    return y + along * wy + across * hy, x + along * wx + across * hx


def _points(boxes, scale, points, number):
    """The positions of the samples of each cell, [N, H, W] each."""
    for along, across in ((0, 0), (1, 1), (-1, 1), (-1, -1), (1, -1))[:points]:
        yield places(lambda n, along=along, across=across: _corner(boxes, scale, n, along, across), number)


@oracle("diopiRotatedFeatureAlignMmcv")
def rotated_feature_align(features, best_bboxes, spatial_scale, points, dtypes):
    out, size = features.copy(), np.abs(features)
    for at in _points(best_bboxes, spatial_scale, points, number_type(dtypes["best_bboxes"])):
        for n in range(len(features)):
            value, terms = bilinear(features[n], Places(*(a[n] for a in at)))
            out[n], size[n] = out[n] + value, size[n] + terms
    return Value(out, magnitude=size)


@oracle("diopiRotatedFeatureAlignBackwardMmcv")
def rotated_feature_align_backward(top_grad, best_bboxes, spatial_scale, points, dtypes):
    out, size = top_grad.copy(), np.abs(top_grad)
    for at in _points(best_bboxes, spatial_scale, points, number_type(dtypes["best_bboxes"])):
        for n in range(len(top_grad)):
            here = Places(*(a[n].ravel() for a in at))
            flat = top_grad[n].reshape(top_grad.shape[1], here.y.size)
            scatter(out[n], here, flat)
            scatter(size[n], here, np.abs(flat))
    return Value(out, magnitude=size)
