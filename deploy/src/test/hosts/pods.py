#!/usr/bin/env python3
"""Containers on one machine without an engine, as root: pods.py DIR ROOT

ROOT is an unpacked image. DIR/pods.json is a list of containers: each has a name, the aliases under
which others find it, commands (the last one stays) with env, directory, user (and group), and mounts
(the place in the container: the one here). Each runs alone in a network, mount and process namespace, on an image that
it cannot write to. Lines on standard input say "start NAME" or "stop NAME" (as Kubernetes does, with
SIGTERM); DIR/NAME.pid has the id of its process, and DIR/NAME.exit its exit code when it ended. DIR/control has the id of a
process from whose network all of them can be reached. All ends with standard input.
"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import hosts


def be(directory, root, name):
    """Becomes the first process of a container."""
    pod = next(pod for pod in json.loads((directory / "pods.json").read_text()) if pod["name"] == name)
    os.umask(0o022)
    for place in pod["mounts"]:
        (root / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
    (root / "etc/hosts").touch()
    hosts.run("mount", "--bind", str(root), str(root))
    os.chdir(root)  # through the mount
    hosts.run("mount", "--rbind", "/dev", "dev")
    hosts.run("mount", "-t", "proc", "proc", "proc")
    hosts.run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "tmp")
    hosts.run("mount", "--bind", str(directory / "hosts"), "etc/hosts")
    for place, here in pod["mounts"].items():
        hosts.run("mount", "--bind", here, place.lstrip("/"))
    hosts.run("mount", "-o", "remount,bind,ro", str(root))
    os.chroot(".")
    os.chdir(pod["directory"])
    socket.sethostname(name)
    os.setgroups([])
    os.setgid(pod["user"])
    os.setuid(pod["user"])
    values = pod["env"] | {"HOSTNAME": name}
    *before, last = pod["commands"]
    for command in before:
        subprocess.run(command, env=values, check=True)
    os.execve(last[0], last, values)


def start(directory, root, network, name):
    with open(directory / f"{name}.log", "ab") as log:
        container = subprocess.Popen(
            ["nsenter", f"--target={network.pid}", "--net", "--", "unshare", "--mount", "--uts"]
            + ["--pid", "--fork", "--kill-child", sys.executable, __file__, "--be"]
            + [str(directory), str(root), name],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )

    def wait():
        code = container.wait()
        (directory / f"{name}.part").write_text(str(code))
        (directory / f"{name}.part").rename(directory / f"{name}.exit")

    threading.Thread(target=wait, daemon=True).start()
    children = pathlib.Path(f"/proc/{container.pid}/task/{container.pid}/children")
    while container.poll() is None and not children.read_text().strip():
        time.sleep(0.05)
    if container.poll() is None:
        (directory / f"{name}.pid").write_text(children.read_text().strip())
    return container


def main(directory, root):
    pods = json.loads((directory / "pods.json").read_text())
    lines = ["127.0.0.1 localhost"]
    for i, pod in enumerate(pods):
        lines.append(" ".join([f"{hosts.NETWORK}.{11 + i}", pod["name"], *pod["aliases"]]))
    (directory / "hosts").write_text("\n".join(lines) + "\n")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    networks = [subprocess.Popen(["unshare", "--net", "sleep", "infinity"]) for _ in range(len(pods) + 1)]
    containers = {}
    try:
        hosts.connect(networks[0], networks[1:])
        (directory / "control.part").write_text(str(networks[0].pid))
        (directory / "control.part").rename(directory / "control")
        for line in sys.stdin:
            verb, name = line.split()
            if verb == "start":
                (directory / f"{name}.exit").unlink(missing_ok=True)
                network = networks[1 + [pod["name"] for pod in pods].index(name)]
                containers[name] = start(directory, root, network, name)
            else:
                os.kill(int((directory / f"{name}.pid").read_text()), signal.SIGTERM)
    finally:
        for name, container in containers.items():
            if container.poll() is None:
                # The first process of its container, and with it all of them: --kill-child does
                # nothing for one that has changed its user.
                os.kill(int((directory / f"{name}.pid").read_text()), signal.SIGKILL)
        for process in networks:
            process.kill()
        for process in [*containers.values(), *networks]:
            process.wait()


if __name__ == "__main__":
    if sys.argv[1] == "--be":
        be(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4])
    else:
        main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
