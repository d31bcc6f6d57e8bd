#!/usr/bin/python3 -I
"""Stands in for systemd's systemctl on hosts of tests, where no systemd runs.

It starts and stops what a unit's ExecStart says, as its User, with its Environment,
EnvironmentFile, WorkingDirectory and StateDirectory; nothing else of a unit has an effect here,
neither its hardening nor Restart.
"""
import os
import pathlib
import pwd
import shlex
import signal
import sys
import time

UNITS = pathlib.Path("/etc/systemd/system")
STATE = pathlib.Path("/run/systemctl")
STOP_SECONDS_MAX = 60


def settings(unit):
    found = {}
    for line in (UNITS / unit).read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


def pid(unit):
    """Of its process; 0 if that does not run."""
    try:
        number = int((STATE / unit).read_text())
        state = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
        return 0 if state == "Z" else number
    except FileNotFoundError:
        return 0


def environment(unit):
    values = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    lines = unit.get("Environment", [])
    for name in unit.get("EnvironmentFile", []):
        file = pathlib.Path(name.lstrip("-"))
        if file.exists() or not name.startswith("-"):
            lines = lines + file.read_text().splitlines()
    values.update(line.split("=", 1) for line in lines if "=" in line)
    return values


def start(name):
    if pid(name):
        return
    unit = settings(name)
    user = pwd.getpwnam(unit["User"][0])
    for directory in unit.get("StateDirectory", []):
        place = pathlib.Path("/var/lib") / directory
        place.mkdir(mode=0o750, exist_ok=True)
        os.chown(place, user.pw_uid, user.pw_gid)
    STATE.mkdir(exist_ok=True)
    child = os.fork()
    if child:
        (STATE / name).write_text(str(child))
        return
    os.setsid()
    log = os.open(STATE / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for target, source in ((0, os.open("/dev/null", os.O_RDONLY)), (1, log), (2, log)):
        os.dup2(source, target)
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    os.chdir(unit["WorkingDirectory"][0])
    words = shlex.split(unit["ExecStart"][0])
    os.execve(words[0], words, environment(unit))


def stop(name):
    number = pid(name)
    if not number:
        return
    os.kill(number, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS_MAX
    while pid(name):
        if time.monotonic() > deadline:
            os.kill(number, signal.SIGKILL)
        time.sleep(0.05)


def link(name):
    return UNITS / "multi-user.target.wants" / name


def main(verb, *names):
    code = 0
    for given in names:
        if given.startswith("-"):
            continue
        name = given if given.endswith(".service") else given + ".service"
        there = (UNITS / name).exists()
        if verb == "show":
            print(f"LoadState={'loaded' if there else 'not-found'}")
            print(f"ActiveState={'active' if pid(name) else 'inactive'}")
        elif not there:
            sys.exit(f"Unit {name} not found.")
        elif verb in ("is-active", "is-enabled"):
            holds = bool(pid(name)) if verb == "is-active" else link(name).is_symlink()
            print(("active" if holds else "inactive") if verb == "is-active" else ("enabled" if holds else "disabled"))
            code = 0 if holds else 3 if verb == "is-active" else 1
        elif verb == "enable":
            link(name).parent.mkdir(exist_ok=True)
            if not link(name).is_symlink():
                link(name).symlink_to(UNITS / name)
        elif verb == "disable":
            link(name).unlink(missing_ok=True)
        elif verb in ("start", "stop", "restart"):
            if verb != "start":
                stop(name)
            if verb != "stop":
                start(name)
        else:
            sys.exit(f"systemctl {verb} is not known here")
    sys.exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
