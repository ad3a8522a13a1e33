"""The machine that the hosted tests run Postgres on: Debian trixie in a folder, made once by debootstrap.

Everything that mounts or starts something does it in its own mount and process namespace, so that the kernel
clears it away when the process ends, however it ends. Needs root and a Debian host (12 or 13).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import platformdirs

SUITE = "trixie"
PACKAGES = (
    "postgresql-17",
    "postgresql-17-pgvector",
    "postgresql-17-cron",
    "postgresql-17-pgtap",
    "postgresql-17-plpgsql-check",
    "libtap-parser-sourcehandler-pgtap-perl",
)
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
HOST_PACKAGES = ("debootstrap", "debian-archive-keyring", "gpgv")

# Manuals and translations are left out. dpkg does not sync every file: a broken image is made anew anyway.
_DPKG_OPTIONS = """\
force-unsafe-io
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/man/*
"""


def cache_dir() -> Path:
    """Where images are kept: `PGCORTEX_HOSTED_CACHE`, or the user's cache folder."""
    chosen = os.environ.get("PGCORTEX_HOSTED_CACHE")
    path = Path(chosen) if chosen else platformdirs.user_cache_path("pgcortex") / "hosted"
    path.mkdir(parents=True, exist_ok=True)
    return path


def build() -> Path:
    """The image's root folder; made when it is not there yet (about a minute), else returned at once.

    Raises `subprocess.CalledProcessError` when apt or debootstrap fails; their output is on stderr.
    """
    identity = hashlib.sha256("\n".join((SUITE, *PACKAGES, _DPKG_OPTIONS)).encode()).hexdigest()[:12]
    if os.geteuid() != 0:
        raise RuntimeError(
            "the hosted tests make a Debian in a folder and run Postgres in it: run them as root"
        )
    root = cache_dir() / f"{SUITE}-{identity}"
    with locked(cache_dir() / f"{root.name}.lock"):
        if not root.exists():
            unfinished = root.with_suffix(".unfinished")
            remove_tree(unfinished)
            _debootstrap(unfinished)
            unfinished.rename(root)
    return root


def isolated(command: Sequence[str], root: Path | None = None) -> list[str]:
    """`command` with its own mounts and processes, as root; chrooted to `root` when one is given.

    When the process that starts it dies, even by SIGKILL, the kernel kills all of them.
    """
    unshare = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child=KILL"]
    chroot = [f"--root={root}"] if root else []
    return ["setpriv", "--pdeathsig", "KILL", *unshare, *chroot, "--", *command]


def remove_tree(path: Path) -> None:
    """Delete a folder, but never through a mount: what is mounted below it belongs to someone else."""
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    below = [line.split()[4] for line in mounts if Path(line.split()[4]).is_relative_to(path)]
    if below:
        raise RuntimeError(f"{path} is not removed: something is mounted at {', '.join(below)}")
    if path.exists():
        shutil.rmtree(path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes; the kernel lets go of it when the holder dies."""
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _debootstrap(target: Path) -> None:
    _install_host_packages()
    options = target / "etc" / "dpkg" / "dpkg.cfg.d" / "small"
    options.parent.mkdir(parents=True)
    options.write_text(_DPKG_OPTIONS, encoding="ascii")
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}"]
    command += [f"--keyring={KEYRING}", SUITE, str(target), _mirror()]
    log = target.with_suffix(".log")
    with log.open("w") as output:
        finished = subprocess.run(isolated(command), stdout=output, stderr=subprocess.STDOUT, check=False)
    if finished.returncode:
        raise RuntimeError(f"debootstrap failed, see {log}:\n{log.read_text(errors='replace')[-2000:]}")
    shutil.rmtree(target / "var" / "lib" / "postgresql" / "17")
    for leftover in (target / "var" / "cache" / "apt" / "archives").glob("*.deb"):
        leftover.unlink()


def _install_host_packages() -> None:
    if shutil.which("debootstrap") and KEYRING.exists():
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _refresh_package_lists()
    install = ["install", "--yes", "--no-install-recommends", *HOST_PACKAGES]
    subprocess.run(["apt-get", "--quiet=2", *install], env=environment, check=True)


def _refresh_package_lists() -> None:
    subprocess.run(["apt-get", "--quiet=2", "update"], check=True)


def _mirror() -> str:
    """The Debian archive that this host's own apt uses; security updates live in another one."""
    found = _known_mirror()
    if found is None:
        _refresh_package_lists()
        found = _known_mirror()
    if found is None:
        raise RuntimeError("apt knows no Debian archive on this machine; the hosted tests need a Debian host")
    return found


def _known_mirror() -> str | None:
    listing = ["apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)"]
    for line in subprocess.run(listing, capture_output=True, text=True, check=True).stdout.splitlines():
        label, _, address = line.partition("|")
        if label == "Debian":
            return address
    return None


if __name__ == "__main__":
    print(build())
