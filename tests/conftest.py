"""What holds for every test: nothing is skipped, and the same inputs are drawn in every run."""

from __future__ import annotations

from collections.abc import Generator

import hypothesis
import pytest

hypothesis.settings.register_profile("blueprint", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("blueprint")


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure; an expected failure, which pytest also reports as skipped, stays what it is."""
    if report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"A skipped test proves nothing, so it fails the run. {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Refuse skips by mark, by fixture and by call."""
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse skips of a whole module, such as by importorskip."""
    report = yield
    _fail_if_skipped(report)
    return report
