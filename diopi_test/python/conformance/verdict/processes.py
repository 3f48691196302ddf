# SPDX-License-Identifier: BSD-3-Clause
"""Judges groups in worker processes. If a process dies, the layouts of its group are judged again, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..cases.group import Group
from ..run.result import FAIL, UNTRUSTED, Result
from ..run.workers import Pool, Task

Judging = Callable[[Group], list[Result]]  # the verdicts on all layouts of a group


@dataclass(frozen=True)
class Processes:
    """Worker processes, each of which calls `start` once."""

    start: Callable[[], Judging]
    jobs: int
    timeout: float

    def judge(self, groups: Sequence[Group], positions: Sequence[int]) -> Iterator[tuple[int, list[Result]]]:
        """Yields the position of each group with its verdicts, as they come; last, those at which a process died."""
        pool, died = self._pool(groups), {}
        for position, results in pool.run(positions):
            if position in pool.died and len(groups[position].layouts) > 1:
                died[position] = results[0]
            else:
                yield position, results
        yield from self._one_by_one({p: (groups[p], death) for p, death in died.items()})

    def _one_by_one(self, died: dict[int, tuple[Group, Result]]) -> Iterator[tuple[int, list[Result]]]:
        """Judges each layout of these groups in a process of its own, so that the verdict names the layout."""
        alone = [(p, replace(group, layouts=(v,))) for p, (group, _) in died.items() for v in group.layouts]
        found: dict[int, list[list[Result]]] = {position: [] for position in died}
        pool = self._pool([group for _, group in alone], apart=True)
        for item, results in pool.run(range(len(alone))):
            position = alone[item][0]
            group, death = died[position]
            found[position].append(results)
            if len(found[position]) == len(group.layouts):
                yield position, _with_death([r for part in found[position] for r in part], group, death)

    def _pool(self, groups: Sequence[Group], apart: bool = False) -> Pool:
        def make_task() -> Task:
            judging = self.start()
            return lambda i: judging(groups[i])

        return Pool(make_task, lambda i: f"{groups[i].name}/{groups[i].layouts[0]}", self.jobs, self.timeout, apart)


def _with_death(results: list[Result], group: Group, death: Result) -> list[Result]:
    """The verdicts on the single layouts. If none of them failed, the death is a failure of the whole group."""
    if any(r.status in (FAIL, UNTRUSTED) for r in results):
        return results
    why = f"{death.messages[0]} when it judged all layouts of the case; each layout in a process of its own passes"
    return [*results, replace(death, name=group.name, messages=(why,))]
