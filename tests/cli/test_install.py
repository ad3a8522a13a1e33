"""`pgcortex install`: the change is shown and asked about, and nothing of anybody else's is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pgcortex import InvalidInput, Settings
from pgcortex.hosts import HOSTS, host_called, plan, remote_entry, write
from tests.cli.conftest import Shell

MINE = {"mcpServers": {"other": {"command": "x"}}, "theme": "dark", "names": ["Émile"]}


def backups(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.bak"))


def test_the_entry_is_added_beside_what_was_there_and_a_backup_is_kept(shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(MINE), encoding="utf-8")
    config.chmod(0o600)
    said = shell.say("install", "claude-desktop", "--config", str(config), typed="y\n")
    assert "+" in said
    assert "reopen" in said
    now = json.loads(config.read_text(encoding="utf-8"))
    entry = now["mcpServers"].pop("pgcortex")
    assert now == MINE
    assert entry["args"][-1] == "mcp"
    assert config.stat().st_mode & 0o777 == 0o600
    (backup,) = backups(tmp_path)
    assert json.loads(backup.read_text(encoding="utf-8")) == MINE


def test_a_second_time_changes_nothing(shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / "new" / "mcp.json"
    shell.say("install", "cursor", "--config", str(config), "--yes")
    first = config.read_text()
    assert "has it already" in shell.say("install", "cursor", "--config", str(config))
    assert config.read_text() == first
    assert backups(config.parent) == []


def test_no_is_an_answer(shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text("{}")
    assert shell.run("install", "vscode", "--config", str(config), typed="n\n").exit_code != 0
    assert config.read_text() == "{}"


def test_secrets_are_written_only_when_asked_for_and_never_shown(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCORTEX_ACCESS_TOKEN", "very-secret")
    config = tmp_path / "mcp.json"
    said = shell.say("install", "cursor", "--config", str(config), "--yes")
    assert "PGCORTEX_ACCESS_TOKEN" in said
    assert "very-secret" not in said + config.read_text()
    said = shell.say("install", "cursor", "--config", str(config), "--yes", "--with-secrets")
    assert "very-secret" not in said
    written = json.loads(config.read_text())["mcpServers"]["pgcortex"]["env"]
    assert written["PGCORTEX_ACCESS_TOKEN"] == "very-secret"


@pytest.mark.parametrize("content", ["{ // comment\n}", "[]", '{"mcpServers": []}'])
def test_a_file_that_is_not_plain_json_is_left_alone(tmp_path: Path, content: str) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(content)
    with pytest.raises(InvalidInput, match="by hand"):
        plan(host_called("cursor"), config, {"command": "x"})
    assert config.read_text() == content


def test_a_linked_file_stays_linked(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    link = tmp_path / "mcp.json"
    link.symlink_to(real)
    write(plan(host_called("cursor"), link, {"command": "x"}))
    assert link.is_symlink()
    assert json.loads(real.read_text())["mcpServers"]["pgcortex"] == {"command": "x"}


def test_every_host_has_its_place_on_every_system() -> None:
    home = Path("/home/ada")
    places = {
        (host.name, system): str(host.path(home, system, {}))
        for host in HOSTS
        for system in ("darwin", "linux")
    }
    assert places == {
        (
            "claude-desktop",
            "darwin",
        ): "/home/ada/Library/Application Support/Claude/claude_desktop_config.json",
        ("claude-desktop", "linux"): "/home/ada/.config/Claude/claude_desktop_config.json",
        ("claude-code", "darwin"): "/home/ada/.claude.json",
        ("claude-code", "linux"): "/home/ada/.claude.json",
        ("cursor", "darwin"): "/home/ada/.cursor/mcp.json",
        ("cursor", "linux"): "/home/ada/.cursor/mcp.json",
        ("vscode", "darwin"): "/home/ada/Library/Application Support/Code/User/mcp.json",
        ("vscode", "linux"): "/home/ada/.config/Code/User/mcp.json",
    }
    windows = host_called("vscode").path(home, "win32", {"APPDATA": "/roaming"})
    assert windows == Path("/roaming/Code/User/mcp.json")
    with pytest.raises(InvalidInput, match="claude-desktop"):
        host_called("emacs")


def test_a_server_on_the_network_is_named_by_its_address_and_never_without_tls() -> None:
    assert remote_entry(host_called("claude-code"), "https://m.example.com/mcp") == {
        "type": "http",
        "url": "https://m.example.com/mcp",
    }
    with pytest.raises(InvalidInput, match="https"):
        remote_entry(host_called("cursor"), "http://m.example.com/mcp")
    with pytest.raises(InvalidInput, match="connector"):
        remote_entry(host_called("claude-desktop"), "https://m.example.com/mcp")


def test_settings_never_show_a_secret() -> None:
    shown = repr(Settings(_env_file=None, access_token="very-secret", database_url="postgresql://u:pw@h/d"))  # type: ignore[call-arg,arg-type]
    assert "very-secret" not in shown
    assert "pw@h" not in shown
