# SPDX-License-Identifier: BSD-3-Clause
"""References for masked columns, attention masks, shifts in time and rotated filters: unfold, pad, autograd."""

from __future__ import annotations

from typing import Any

from ..reference import Table, composed, gradients, torch

FAR = 1 << 40  # a position that is outside of every image


def _im2col(im, mask_h_idx, mask_w_idx, kernel_h, kernel_w, pad_h, pad_w):
    rows, columns = mask_h_idx.clamp(-FAR, FAR), mask_w_idx.clamp(-FAR, FAR)
    height, width = im.shape[2:]
    cells = torch.nn.functional.pad(im[0].flatten(1), (0, 1))  # a last cell of 0
    y = rows[None, None] - pad_h + torch.arange(kernel_h)[:, None, None]
    x = columns[None, None] - pad_w + torch.arange(kernel_w)[None, :, None]
    there = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    at = torch.where(there, y * width + x, torch.full_like(y * width + x, height * width))
    found = cells[:, at]
    return found.reshape(im.shape[1] * kernel_h * kernel_w, len(mask_h_idx))


def _col2im(col, mask_h_idx, mask_w_idx, height, width, channels):
    im = torch.zeros(1, channels, height, width, dtype=col.dtype)
    for m in range(len(mask_h_idx)):
        im[0, :, mask_h_idx[m], mask_w_idx[m]] = col[:, m]
    return im


def _psamask(input, psa_type, num_, h_feature, w_feature, h_mask, w_mask, half_h_mask, half_w_mask):
    # Each position writes its cells to a padded map; the map without the padding is the result.
    cells = input.reshape(num_, h_mask, w_mask, h_feature, w_feature)
    padded = torch.zeros(num_, h_feature + h_mask, w_feature + w_mask, h_feature, w_feature, dtype=input.dtype)
    for h in range(h_feature):
        for w in range(w_feature):
            padded[:, h : h + h_mask, w : w + w_mask, h, w] = cells[:, :, :, h, w]
    rows, columns = slice(half_h_mask, half_h_mask + h_feature), slice(half_w_mask, half_w_mask + w_feature)
    maps = padded[:, rows, columns].reshape(num_, h_feature * w_feature, h_feature * w_feature)
    maps = maps.transpose(1, 2) if psa_type == 1 else maps
    return maps.reshape(num_, h_feature * w_feature, h_feature, w_feature)


def _psamask_backward(grad_output, psa_type, num_, h_feature, w_feature, h_mask, w_mask, half_h_mask, half_w_mask):
    rest = (psa_type, num_, h_feature, w_feature, h_mask, w_mask, half_h_mask, half_w_mask)
    cells = torch.zeros(num_, h_mask * w_mask, h_feature, w_feature, dtype=grad_output.dtype)
    return gradients(lambda x: _psamask(x, *rest), grad_output, cells)[0]


def _shift(input, shift):
    frames, groups = input.shape[1], shift.shape[1]
    parts = input.reshape(*input.shape[:2], groups, input.shape[2] // groups, input.shape[3])
    result = torch.zeros_like(parts)
    for n in range(len(shift)):
        for g in range(groups):
            step = max(-frames, min(frames, int(shift[n, g])))
            moved = torch.roll(parts[n, :, g], step, 0) if frames else parts[n, :, g]
            moved[: max(step, 0)] = 0
            moved[frames + min(step, 0) :] = 0
            result[n, :, g] = moved
    return result.reshape(input.shape)


def _rotate(input, indices):
    (out, depth), entries, rotations = input.shape[:2], indices[..., 0].numel(), indices.shape[3]
    planes, target = input.reshape(out, depth, entries), indices.reshape(entries, rotations).long() - 1
    result = torch.zeros(out, rotations, depth, entries, dtype=input.dtype)
    for r in range(rotations):
        for entry in range(entries):
            result[:, r, :, target[entry, r]] = planes[:, :, entry]
    return result.reshape(out * rotations, depth * input.shape[2], *input.shape[3:])


def _rotate_backward(grad_out, indices):
    (orientations, height, width, rotations), entries = indices.shape, indices[..., 0].numel()
    out, depth = grad_out.shape[0] // rotations, grad_out.shape[1] // orientations
    grads = grad_out.reshape(out, rotations, depth, entries)
    target = (indices.reshape(entries, rotations).long() - 1).T
    taken: Any = grads.gather(3, target[None, :, None].expand(out, -1, depth, -1))
    return taken.sum(1).reshape(out, depth, orientations, height, width)


TABLE: Table = {
    "diopiMaskedIm2colMmcv": composed("indexing of a padded image", _im2col),
    "diopiMaskedCol2imMmcv": composed("assignment at the positions", _col2im),
    "diopiPsamaskMmcv": composed("slices of a padded map", _psamask),
    "diopiPsamaskBackwardMmcv": composed("torch.autograd of slices of a padded map", _psamask_backward),
    "diopiTinShiftMmcv": composed("torch.roll", _shift),
    "diopiTinShiftBackwardMmcv": composed("torch.roll", lambda grad_output, shift: _shift(grad_output, shift)),
    "diopiActiveRotatedFilterMmcv": composed("assignment of entries", _rotate),
    "diopiActiveRotatedFilterBackwardMmcv": composed("Tensor.gather", _rotate_backward, double=True),
}
