"""The count of the trusted core counts code only, and fails where it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools import trusted_lines

ROOT = Path(__file__).resolve().parents[1]
STRUCTURES = len(trusted_lines.STRUCTURAL)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in which every listed module has exactly one line of code."""
    package = tmp_path / "blueprint"
    for folder in (package / "ir", package / "claims", package / "frontend", tmp_path / "rules" / "family"):
        folder.mkdir(parents=True)
        (folder / "one.py").write_text("x = 1\n", encoding="utf-8")
    alone = [name for name in trusted_lines.STRUCTURAL if name not in {"ir", "claims"}]
    for name in (*trusted_lines.CORE, *alone):
        (package / f"{name}.py").write_text('"""Text."""\n\n# remark\nx = 1\n', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", 0),
        ("\n\n# remark\n", 0),
        ('"""One\n\nparagraph."""\n', 0),
        ('x = 1  # remark\n"""What x is."""\n', 1),
        ('def f() -> None:\n    """Text\n    goes on.\n    """\n    return\n', 2),
        ('class C:\n    """Text."""\n\n    é = 1; """ö"""\n', 2),
        ('text = """one\n\ntwo"""\n', 2),
        ("x = (\n    1 +\n    # remark\n    2\n)\n", 4),
        ("x = 1\n\f\ny = 2\n", 2),
        ('value = f"""one\n{1}"""\n', 2),
    ],
)
def test_only_lines_with_code_are_counted(source: str, expected: int) -> None:
    assert trusted_lines.code_lines(source) == expected


def test_within_the_caps(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = len(trusted_lines.CORE)
    assert trusted_lines.main(checkout, core_cap=lines, total_cap=lines + STRUCTURES) == 0
    assert "ABOVE" not in capsys.readouterr().out


def test_one_line_too_many_in_the_core_fails(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = len(trusted_lines.CORE)
    (checkout / "blueprint" / "gate.py").write_text("x = 1\ny = 2\n", encoding="utf-8")
    assert trusted_lines.main(checkout, core_cap=lines, total_cap=lines + STRUCTURES + 1) == 1
    assert "ABOVE" in capsys.readouterr().out


def test_one_line_too_many_in_the_structures_fails(checkout: Path) -> None:
    lines = len(trusted_lines.CORE)
    (checkout / "blueprint" / "ir" / "two.py").write_text("x = 1\n", encoding="utf-8")
    assert trusted_lines.main(checkout, core_cap=lines, total_cap=lines + STRUCTURES) == 1


def test_specification_is_not_capped(checkout: Path) -> None:
    lines = len(trusted_lines.CORE)
    (checkout / "rules" / "family" / "long.py").write_text("x = 1\n" * 5000, encoding="utf-8")
    assert trusted_lines.main(checkout, core_cap=lines, total_cap=lines + STRUCTURES) == 0


def test_a_listed_module_that_is_gone_fails(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "blueprint" / "gate.py").unlink()
    assert trusted_lines.main(checkout) == 1
    assert "gate" in capsys.readouterr().err


def test_the_trusted_core_is_within_its_caps() -> None:
    assert trusted_lines.main(ROOT) == 0


def test_the_readme_names_these_caps() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for cap in (trusted_lines.CORE_CAP, trusted_lines.TOTAL_CAP):
        assert f"under {cap:,}" in text or f"  {cap:,}," in text
