"""The wheel carries rules and proofs inside the package, and verifies a bundle far from any checkout."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIP = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
DEMO = (
    "derive training --model gpt3-175b --tensor 8 --pipeline 8 --data 8 --microbatch 1 --sequence 2048 "
    "--dtype bfloat16 --recompute selective --communication sequence-parallel"
).split()


def _run(arguments: list[str], folder: Path, *, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python in `folder`, with `path` first on the import path and without coverage of the copied package."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTHON"))}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, check=False, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = _run(["-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)], folder)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    pip = _run(["-m", "pip", "install", *PIP, "--target", str(folder), str(wheel)], folder)
    assert pip.returncode == 0, pip.stdout + pip.stderr
    return folder


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "demo.bundle.json"
    derived = _run(["-m", "blueprint", *DEMO, "-o", str(path)], ROOT)
    assert derived.returncode == 0, derived.stdout + derived.stderr
    return path


def _files(folder: Path) -> set[str]:
    """The files below `folder` that ship, as paths relative to it."""
    return {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.name != ".DS_Store"
    }


def test_the_wheel_has_one_top_level_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"blueprint", "blueprint_verifier-0.1.0.dist-info"}
    assert not [name for name in names if name.endswith(".pyc")]


@pytest.mark.parametrize("folder", ["rules", "proofs"])
def test_the_wheel_carries_the_whole_folder(wheel: Path, folder: str) -> None:
    prefix = f"blueprint/{folder}/"
    shipped = {name.removeprefix(prefix) for name in zipfile.ZipFile(wheel).namelist() if name.startswith(prefix)}
    assert shipped
    assert shipped == _files(ROOT / folder)


def test_the_wheel_carries_the_pages_script_and_style_and_not_their_sources(wheel: Path) -> None:
    names = [name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("blueprint/explorer/")]
    static = {name for name in names if not name.endswith(".py")}
    assert static == {"blueprint/explorer/static/explorer.js", "blueprint/explorer/static/explorer.css"}


def test_the_installed_package_writes_a_page_outside_the_checkout(
    installed: Path, bundle: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    written = _run(["-m", "blueprint", "explore", str(bundle), "-o", str(page)], tmp_path, path=installed)
    assert written.returncode == 0, written.stdout + written.stderr
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")


def test_the_wheel_declares_its_types_and_its_command(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    assert "blueprint/py.typed" in archive.namelist()
    scripts = configparser.ConfigParser()
    scripts.read_string(archive.read("blueprint_verifier-0.1.0.dist-info/entry_points.txt").decode())
    assert scripts["console_scripts"]["blueprint"] == "blueprint.__main__:main"


def test_the_installed_package_verifies_outside_the_checkout(installed: Path, bundle: Path, tmp_path: Path) -> None:
    origin = _run(["-c", "import blueprint; print(blueprint.__file__)"], tmp_path, path=installed)
    assert Path(origin.stdout.strip()).is_relative_to(installed)
    verified = _run(["-m", "blueprint", "verify", str(bundle)], tmp_path, path=installed)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_the_installed_package_uses_its_own_rules(installed: Path, bundle: Path, tmp_path: Path) -> None:
    without = tmp_path / "without"
    shutil.copytree(installed, without)
    shutil.rmtree(without / "blueprint" / "rules")
    refused = _run(["-m", "blueprint", "verify", str(bundle)], tmp_path, path=without)
    assert refused.returncode != 0
    assert "Traceback" not in refused.stderr
