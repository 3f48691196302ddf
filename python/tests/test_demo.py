# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the demonstration learns, and that it reports wrong options and files."""

from __future__ import annotations

import pytest

from diopi import demo


def test_it_learns_the_digits(lib, capsys):
    assert demo.main(["--epochs", "4"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith("1437 digits to learn from, 360 held out")
    assert out[-1].startswith("held-out accuracy 9") and out[-1].endswith("goal 95 %: reached")


def test_the_same_seed_gives_the_same_losses(lib, capsys):
    def losses() -> list[str]:
        demo.main(["--epochs", "1", "--seed", "3"])
        return [line.split("  ")[1] for line in capsys.readouterr().out.splitlines() if line.startswith("epoch")]

    assert losses() == losses() != []


def test_a_goal_that_is_missed_is_status_one(lib, monkeypatch, capsys):
    monkeypatch.setattr(demo, "GOAL", 0.9999)
    assert demo.main(["--epochs", "1"]) == 1
    assert capsys.readouterr().out.endswith("missed\n")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--data", "/nowhere.csv"], "/nowhere.csv not found"),
        (["--library", "/nowhere.so"], "load: path is '/nowhere.so', which is no file"),
    ],
)
def test_what_cannot_be_read_is_named(lib, arguments, text, capsys):
    assert demo.main(arguments) == 1
    assert text in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--epochs", "0"], "--epochs must be at least 1"),
        (["--seed", "-1"], "--seed must be from 0 to 2**64 - 1"),
        (["--seed", str(2**64)], "--seed must be from 0 to 2**64 - 1"),
    ],
)
def test_wrong_usage_is_status_two(arguments, text, capsys):
    with pytest.raises(SystemExit) as stopped:
        demo.main(arguments)
    assert stopped.value.code == 2
    assert text in capsys.readouterr().err


def test_data_of_another_shape_is_refused(lib, tmp_path, capsys):
    (tmp_path / "few.csv").write_text("1,2,3\n" * 9)
    assert demo.main(["--data", str(tmp_path / "few.csv")]) == 1
    assert "has shape (9, 3), expected 5 lines or more of 64 pixels and a label" in capsys.readouterr().err
