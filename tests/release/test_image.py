"""What Binder would do with binder/, as its own program says without building an image."""

from __future__ import annotations

import subprocess

import pytest

from tests.release.environments import WORK, bare, environment, repository

PROGRAM = "jupyter-repo2docker==2026.4.0"
# The lines of the Dockerfile that we rely on, in their order.
STEPS = [
    "environment.py-3.11",  # binder/runtime.txt
    "COPY --chown=0:0 src/ ${REPO_DIR}/",  # ./lib and ../constraints.txt are there …
    'pip install --no-cache-dir -r "binder/requirements.txt"',  # … when they are asked for
    "RUN ./binder/postBuild",
    'R2D_ENTRYPOINT="${REPO_DIR}/binder/start"',
]


@pytest.fixture(scope="module")
def dockerfile() -> str:
    folder = repository(WORK / "image")
    programs = environment(WORK / "image-environment", PROGRAM, cwd=folder)
    done = subprocess.run(
        [str(programs / "jupyter-repo2docker"), "--no-build", "--debug", "."],
        cwd=folder,
        env=bare(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    printed = done.stdout + done.stderr
    # file names in it are escaped: "-2e" is a dot, "-2d" a hyphen
    return printed.replace("-2e", ".").replace("-2d", "-")


def test_binder_takes_each_of_our_files_in_its_turn(dockerfile: str) -> None:
    places = [dockerfile.find(step) for step in STEPS]
    assert dict(zip(STEPS, places, strict=True)) == dict(zip(STEPS, sorted(places), strict=True))
    assert min(places) >= 0
