# SPDX-License-Identifier: BSD-3-Clause
"""Tests the chart of ratios."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.cases import load_groups

image = pytest.importorskip(
    "matplotlib.image", reason="matplotlib draws the chart; install_deps.sh --bench installs it"
)
from bench.chart import draw_chart, ratios_by_group  # noqa: E402

GROUPS = load_groups(Path(__file__).parents[1] / "groups.yaml")


def document(**ratios: float) -> dict:
    """A run with one case in each group that is named."""
    cases = [{"group": group, "ratios": {"torch": ratio}} for group, ratio in ratios.items()]
    return {"machine": {"cpu": "a CPU", "cores": 2}, "runs": [{"threads": 1, "cases": cases}]}


def test_ratios_are_collected_by_group() -> None:
    run = {"cases": [{"group": "norm", "ratios": {"torch": r}} for r in (1.5, 2.5)] + [{"group": "conv", "ratios": {}}]}
    assert ratios_by_group(run) == {"norm": [1.5, 2.5]}


def test_a_chart_grows_with_the_groups_that_were_measured(tmp_path: Path) -> None:
    draw_chart(tmp_path / "one.png", document(norm=1.5), GROUPS)
    draw_chart(tmp_path / "two.png", document(norm=1.5, conv=0.5), GROUPS)
    one, two = (image.imread(tmp_path / f"{name}.png").shape[0] for name in ("one", "two"))
    assert one < two


@pytest.mark.parametrize("measured", [document(), document(growth=2.0)])
def test_no_chart_without_a_group_that_has_a_goal(measured: dict, tmp_path: Path) -> None:
    draw_chart(tmp_path / "none.png", measured, GROUPS)
    assert not (tmp_path / "none.png").exists()
