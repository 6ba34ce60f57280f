"""Every format of every case is the committed one, and a change is noticed."""

from __future__ import annotations

from pathlib import Path

from tests.tools import golden


def test_every_golden_file_is_what_is_rendered() -> None:
    assert golden.settle(golden.FOLDER, []) == 0, "python -m tests.tools.golden --write"
    assert len(list(golden.FOLDER.iterdir())) == len(golden.CASES) * len(golden.ENDINGS)


def test_a_change_a_loss_and_a_stranger_are_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "golden"
    assert golden.settle(folder, ["--write"]) == 0
    assert golden.settle(folder, []) == 0
    for name, content in (("verified.txt", b""), ("stranger.txt", b"x")):
        before = (folder / name).read_bytes() if (folder / name).exists() else None
        (folder / name).write_bytes(content)
        assert golden.settle(folder, []) == 1
        (folder / name).unlink()
        if before is not None:
            assert golden.settle(folder, []) == 1
            (folder / name).write_bytes(before)
    assert golden.settle(folder, []) == 0
