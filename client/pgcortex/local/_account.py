"""Under root: the account the server runs as, and its way to the files.

Postgres refuses to run as root. A brain that root starts therefore runs as the owner of its directory, or,
where that is root itself, as the system account `pgcortex`, made when it is first needed. That account may
have to pass through directories only root can enter, such as /root. It is given the right to pass (x,
nothing else) and only to this account, through an ACL; on a file system without ACLs, the directory's x bit
for others is set instead.
"""

from __future__ import annotations

import errno
import os
import pwd
import stat
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pgcortex._errors import LocalBrainError
from pgcortex.local._layout import Layout

NAME = "pgcortex"

_ACL_ATTRIBUTE = "system.posix_acl_access"
_ACL_VERSION = 2
_NO_ID = 0xFFFFFFFF
_OWNER, _USER, _OWNING_GROUP, _GROUP, _MASK, _OTHER = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
_EXECUTE = 1


@dataclass(frozen=True)
class Account:
    """A user and its group, by number."""

    uid: int
    gid: int


def server_account(layout: Layout) -> Account | None:
    """The account the server runs as; None when we are not root, so it is our own."""
    if os.geteuid() != 0:
        return None
    place = layout.cluster if layout.cluster.exists() else layout.data_dir
    owner = place.stat()
    if owner.st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    return _system_account()


def _system_account() -> Account:
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError:
        entry = _make_system_account()
    return Account(entry.pw_uid, entry.pw_gid)


def _make_system_account() -> pwd.struct_passwd:
    command = [
        "useradd",
        "--system",
        "--user-group",
        "--no-create-home",
        "--shell",
        "/usr/sbin/nologin",
        NAME,
    ]
    try:
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        problem = result.stderr.strip()
    except FileNotFoundError:
        problem = "useradd is not installed"
    try:
        return pwd.getpwnam(NAME)  # another process may have been first
    except KeyError:
        raise LocalBrainError(
            f"Postgres does not run as root, and the system account {NAME} could not be made: {problem}",
            hint=f"run pgcortex as another user, or add an account named {NAME}",
        ) from None


def give(path: Path, account: Account | None) -> None:
    """Hand a file or directory we made to the server's account."""
    if account:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def let_pass(account: Account | None, directory: Path) -> None:
    """Let the account pass through `directory` and every directory above it."""
    if account is None:
        return
    resolved = directory.resolve()
    for step in (resolved, *resolved.parents):
        state = step.stat()
        if state.st_uid != account.uid and not state.st_mode & _EXECUTE:
            _allow_entry(step, state.st_mode, account.uid)


def let_read(account: Account | None, installation: Path) -> None:
    """Let the account run the programs of a Postgres installation that root made with a strict umask."""
    let_pass(account, installation.parent)
    if account is None or (installation / "bin" / "postgres").stat().st_mode & _EXECUTE:
        return
    for path in (installation, *installation.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if not path.is_symlink():
            path.chmod(mode | 0o055 if mode & 0o100 else mode | 0o044)


def _allow_entry(directory: Path, mode: int, uid: int) -> None:
    if not _allow_by_acl(directory, mode, uid):
        directory.chmod(mode & 0o7777 | _EXECUTE)


def _allow_by_acl(directory: Path, mode: int, uid: int) -> bool:
    if sys.platform != "linux":
        return False
    try:
        os.setxattr(directory, _ACL_ATTRIBUTE, _with_entry(_read_acl(directory, mode), uid))
    except OSError as error:
        if error.errno not in (errno.ENOTSUP, errno.EPERM, errno.EINVAL):
            raise
        return False
    return True


Acl = dict[tuple[int, int], int]
"""(kind, user or group id) to permission bits."""


def _read_acl(directory: Path, mode: int) -> Acl:
    if sys.platform == "linux" and _ACL_ATTRIBUTE in os.listxattr(directory):
        raw = os.getxattr(directory, _ACL_ATTRIBUTE)
        return {(tag, who): bits for tag, bits, who in struct.iter_unpack("<HHI", raw[4:])}
    return {
        (_OWNER, _NO_ID): mode >> 6 & 7,
        (_OWNING_GROUP, _NO_ID): mode >> 3 & 7,
        (_OTHER, _NO_ID): mode & 7,
    }


def _with_entry(acl: Acl, uid: int) -> bytes:
    """The kernel's form of `acl` with the right to pass for `uid`; nothing changes for others."""
    limit = acl.get((_MASK, _NO_ID), 7)
    group_class = {key: bits & limit for key, bits in acl.items() if key[0] in (_USER, _OWNING_GROUP, _GROUP)}
    group_class[_USER, uid] = group_class.get((_USER, uid), 0) | _EXECUTE
    mask = 0
    for bits in group_class.values():
        mask |= bits
    entries = sorted((acl | group_class | {(_MASK, _NO_ID): mask}).items())
    packed = (struct.pack("<HHI", tag, bits, who) for (tag, who), bits in entries)
    return struct.pack("<I", _ACL_VERSION) + b"".join(packed)
