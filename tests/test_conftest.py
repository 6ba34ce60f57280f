"""A skipped test fails the run, however it was skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")


@pytest.fixture
def run(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(CONFTEST.read_text(encoding="utf-8"))
    return pytester


@pytest.mark.parametrize(
    "body",
    [
        "@pytest.mark.skip(reason='later')\ndef test_one(): pass",
        "@pytest.mark.skipif(True, reason='later')\ndef test_one(): pass",
        "def test_one(): pytest.skip('later')",
        "@pytest.fixture\ndef broken(): pytest.skip('later')\ndef test_one(broken): pass",
        "import unittest\nclass TestOne(unittest.TestCase):\n    @unittest.skip('later')\n    def test_one(self): pass",
    ],
    ids=["mark", "condition", "call", "fixture", "unittest"],
)
def test_a_skipped_test_fails_the_run(run: pytest.Pytester, body: str) -> None:
    run.makepyfile(f"import pytest\ndef test_good(): pass\n{body}\n")
    result = run.runpytest_subprocess()
    counts = result.parseoutcomes()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert counts["passed"] == 1
    assert "skipped" not in counts
    result.stdout.fnmatch_lines(["*A skipped test proves nothing*later*"])


@pytest.mark.parametrize(
    "body",
    ["pytest.importorskip('no_such_module')", "pytest.skip('later', allow_module_level=True)"],
    ids=["importorskip", "module"],
)
def test_a_skipped_module_fails_the_run(run: pytest.Pytester, body: str) -> None:
    run.makepyfile(f"import pytest\n{body}\ndef test_good(): pass\n")
    result = run.runpytest_subprocess()
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*A skipped test proves nothing*"])


def test_a_run_without_skips_passes(run: pytest.Pytester) -> None:
    run.makepyfile(
        "import pytest\ndef test_good(): pass\n@pytest.mark.xfail(strict=True)\ndef test_known(): assert False\n"
    )
    result = run.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1, xfailed=1)
