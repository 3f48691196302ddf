# SPDX-License-Identifier: BSD-3-Clause
"""The invalid calls of every operator that has valid ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from adaptor.codegen.model import Function, Registry
from adaptor.codegen.rules import Check

from ...cases.reader import Case
from ...oracle import load_oracles
from .base import ATTEMPTS, PREFERRED, Base, Bases, Candidate, Violation
from .generic import dtypes_of_no_tensor, dtypes_outside, lengths, nulls, scalar_dtypes
from .sizes import integer_attributes, wrapping_sizes
from .terms import fulfilled
from .violations import VIOLATIONS
from .violations.table import Maker

MORE_ATTEMPTS = 60  # valid calls of one dtype, where the first few do not allow to break a check


def invalid_cases(registry: Registry, cases: list[Case], names: tuple[str, ...] = ()) -> list[Case]:
    """Those of these operators, or of all that have cases."""
    by_function: dict[str, list[Case]] = {}
    for case in (c for c in cases if not getattr(c, "hostile", "")):
        by_function.setdefault(case.function.name, []).append(case)
    oracles, result = load_oracles(), []
    for name, own in by_function.items():
        if name in oracles and (not names or name in names):
            result += _Generator(own[0].function, Bases(own, oracles[name])).cases()
    return result


@dataclass
class _Generator:
    """Of one operator."""

    function: Function
    bases: Bases

    def cases(self) -> list[Case]:
        base = self.bases.first()
        if base is None:
            return []
        found = [base.invalid(v, "diopiErrorOccurred") for v in (*nulls(base), *lengths(base))]
        found += self._wrapping_sizes()
        dtypes = (*dtypes_outside(base), *dtypes_of_no_tensor(base), *scalar_dtypes(base))
        found += [base.invalid(v, "diopiDtypeNotSupported") for v in dtypes]
        for check in self.function.checks:
            found += self._broken(check)
        unique: dict[tuple, Case] = {}
        for case in found:
            key = case.dtypes, case.error.code, repr(sorted(case.arguments.items()))
            known = unique.setdefault(key, case)
            if known is not case and case.error.shows:
                unique[key] = _both(known, case)
        return list(unique.values())

    def _broken(self, check: Check) -> Iterator[Case]:
        """Calls that break a check: of each way to do so, those made from the first valid call that allows it."""
        for make in VIOLATIONS.get(type(check.rule), ()) if not check.untested else ():
            calls = (self._made_from(candidate, make, check, change) for candidate, change in self._calls(check))
            yield from next((made for made in calls if made), ())

    def _calls(self, check: Check) -> Iterator[tuple[Candidate, bool]]:
        """Calls, a few of each dtype and then more; first as they are, and then changed to fit a check's conditions."""
        dtypes = self.bases.dtypes if check.when else PREFERRED
        for change, attempts in ((False, ATTEMPTS), (True, ATTEMPTS), (False, MORE_ATTEMPTS), (True, MORE_ATTEMPTS)):
            for candidate in self.bases.candidates(dtypes if attempts == ATTEMPTS else self.bases.dtypes, attempts):
                yield candidate, change

    def _made_from(self, candidate: Candidate, make: Maker, check: Check, change: bool) -> list[Case]:
        """The calls that break a check, made from one that fulfils its conditions. The oracle, which is slow, is asked
        for the outputs only if there are such calls, or if whether there are depends on the outputs."""

        def made(base: Base) -> list[Case]:
            call = fulfilled(check, base, change)
            if call is None:
                return []
            violations = make(call, check.rule, check)
            return [call.invalid(v, check.code, check.slug) for v in violations if self._known(v)]

        try:
            if not made(candidate.draft):
                return []
        except Exception:  # it depends on the outputs, or this is no valid call: the oracle says
            pass
        base = candidate.base()
        return made(base) if base is not None else []

    def _wrapping_sizes(self) -> Iterator[Case]:
        """Of each integer attribute, from the first call that has it and of which some number must be an error."""
        for p in integer_attributes(self.function):
            for base in self.bases.having(p.name):
                made = [base.invalid(v, "diopiErrorOccurred") for v in wrapping_sizes(base, p.name)]
                yield from made
                if made:
                    break

    def _known(self, violation: Violation) -> bool:
        return set(violation.changes) <= {p.name for p in self.function.params}


def _both(one: Case, other: Case) -> Case:
    """The same call, which shows what both show."""
    shows = tuple(dict.fromkeys((*one.error.shows, *other.error.shows)))
    arguments = tuple(dict.fromkeys((*one.error.arguments, *other.error.arguments)))
    return replace(one, error=replace(one.error, arguments=arguments, shows=shows))
