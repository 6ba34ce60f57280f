"""What stands at the head of the page: what the verdict is about, what decided it, and how much was looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from blueprint.bindings import binding_words
from blueprint.bundle import Bundle
from blueprint.explorer.payload import Fact, Section, StatusCount
from blueprint.ir.request import Training
from blueprint.outcome import Report, Status
from blueprint.report.subjects import covered
from blueprint.words import plain

_SECTIONS: Final = ("model", "workload", "strategy", "target", "deployment", "scope")


def binding_sections(bundle: Bundle) -> tuple[Section, ...]:
    """What the verdict is about."""
    bindings = binding_words(bundle)
    return tuple(Section(title=title, facts=_facts(bindings[title])) for title in _SECTIONS if title in bindings)


def tool_facts(report: Report) -> tuple[Fact, ...]:
    """What decided."""
    tool = report.tool
    facts = {
        "blueprint": tool.version,
        "rulebook": tool.rulebook_revision or "unknown",
        "digest of the rules": tool.rules_digest or "unknown",
        "shipped rules": "yes" if tool.shipped else "no",
        "deciders": ", ".join(tool.solvers) or "none",
        "replaced rules": ", ".join(tool.replaced) or "none",
    }
    return _facts(facts)


def total_sections(report: Report) -> tuple[Section, ...]:
    """Work of one rank by phase, its memory, and what the plan became on its target."""
    return (*_work(report), *_memory(report), *_bound(report))


def about(bundle: Bundle, report: Report) -> str:
    """What the totals are for, and whether the bundle alone says them."""
    unit = "one microbatch" if isinstance(bundle.request.workload, Training) else "one step of each branch"
    return f"for {covered(report)} and {unit}{'' if report.ok else ', as the bundle has them'}"


def _work(report: Report) -> Iterator[Section]:
    for row in report.subject.totals:
        facts = {
            "tasks": row.tasks,
            "operations": row.operations,
            "bytes read": row.read_bytes,
            "bytes written": row.write_bytes,
            "message bytes": row.message_bytes,
        }
        yield Section(title=f"work of one rank, {_of(row.branch)}{row.phase.replace('_', ' ')}", facts=_facts(facts))


def _memory(report: Report) -> Iterator[Section]:
    for row in report.subject.memory:
        facts = {f"{name}, in {_held_in(name)}": value for name, value in row.facts.items()}
        facts["in all, in bytes"] = row.total
        yield Section(title=f"memory of one rank{_behind(row.branch)}", facts=_facts(facts))


def _held_in(name: str) -> str:
    """The unit of what a rank holds."""
    return "elements" if name == "parameters" else "bytes"


def _bound(report: Report) -> Iterator[Section]:
    for row in report.subject.bound:
        facts = {
            "devices": row.devices,
            "commands": row.commands,
            "instructions": row.instructions,
            "buffers": row.buffers,
            "bytes of workspace": row.workspace,
            "bytes to the end of the last buffer": row.extent,
            "bytes of capacity": row.capacity,
        }
        yield Section(title=f"bound to {plain(row.target)}{_behind(row.branch)}", facts=_facts(facts))


def status_counts(report: Report) -> tuple[StatusCount, ...]:
    """Claims and forms of laws by verdict word, in the order of the words; none is merged with another."""
    counts = report.summary.by_status
    return tuple(StatusCount(word=each.value, count=counts.get(each.value, "0")) for each in Status)


def definition_facts(report: Report) -> tuple[Fact, ...]:
    """What is chosen and not derived."""
    return tuple(
        Fact(name=plain(row.rule), value=f"{plain(row.text, 1000)} ({plain(row.source, 1000)})")
        for row in report.definitions
    )


def _facts(values: Mapping[str, str]) -> tuple[Fact, ...]:
    return tuple(Fact(name=plain(name), value=plain(value, 300)) for name, value in values.items())


def _of(branch: str) -> str:
    return f"{branch}, " if branch else ""


def _behind(branch: str) -> str:
    return f", {branch}" if branch else ""
