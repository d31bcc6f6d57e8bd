#!/usr/bin/env python3
"""Hosts for playbooks on one machine, as root: hosts.py DIR NAME...

Each host is a network, mount and process namespace with an sshd, and with an /etc, /opt, /root,
/run and /var/lib of its own. It has no systemd: the program systemctl beside this one stands in for it.
Their network is a bridge in a namespace of its own; DIR/control has the id of the process in it,
from which the hosts can be reached. All of it ends with standard input.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

NETWORK = "10.78.0"
HERE = pathlib.Path(__file__).resolve().parent
SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def run(*words, text=None):
    subprocess.run(words, input=text, text=True, check=True)


def make(directory, host, address):
    """The files of a host."""
    for name in ("opt", "var-lib", "root", "bin"):
        (directory / host / name).mkdir(parents=True)
    shutil.copy(HERE / "systemctl.py", directory / host / "bin/systemctl")
    os.chmod(directory / host / "bin/systemctl", 0o755)
    run("cp", "-a", "/etc", str(directory / host / "etc"))
    (directory / host / "sshd_config").write_text(
        f"""Port 22
ListenAddress {address}
HostKey {directory}/hostkey
AuthorizedKeysFile {directory}/key.pub
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
PidFile none
Subsystem sftp internal-sftp
SetEnv PATH={directory}/{host}/bin:{PROGRAMS}
"""
    )


def be(directory, host):
    """The first process of a host: collects what ends in it."""
    for name, place in (("etc", "/etc"), ("opt", "/opt"), ("var-lib", "/var/lib"), ("root", "/root")):
        run("mount", "--bind", str(directory / host / name), place)
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    os.mkdir("/run/sshd", 0o755)
    while not (directory / "connected").exists():
        time.sleep(0.05)
    subprocess.Popen([SSHD, "-D", "-f", str(directory / host / "sshd_config")])
    while True:
        os.wait()


def start(directory, host):
    log = open(directory / f"{host}.log", "wb")
    return subprocess.Popen(
        ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        + [sys.executable, __file__, "--be", str(directory), host],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    )


def connect(control, hosts):
    def enter(process):
        while os.readlink(f"/proc/{process.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            if process.poll() is not None:
                sys.exit("no namespace can be made: this takes root")
            time.sleep(0.05)
        return ["nsenter", f"--target={process.pid}", "--net", "--", "ip", "-batch", "-"]

    lines = f"link set lo up\nlink add bridge type bridge\naddress add {NETWORK}.1/24 dev bridge\n"
    for i, process in enumerate(hosts):
        own = enter(process)
        lines += f"link add host{i} type veth peer name eth0 netns {process.pid}\n"
        lines += f"link set host{i} master bridge\nlink set host{i} up\n"
        run(*enter(control), text=lines)
        run(*own, text=f"link set lo up\naddress add {NETWORK}.{11 + i}/24 dev eth0\nlink set eth0 up\n")
        lines = ""
    run(*enter(control), text="link set bridge up\n")


def main(directory, names):
    for key in ("hostkey", "key"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(directory / key))
    for i, name in enumerate(names):
        make(directory, name, f"{NETWORK}.{11 + i}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    processes = [subprocess.Popen(["unshare", "--net", "sleep", "infinity"])]
    try:
        processes += [start(directory, name) for name in names]
        connect(processes[0], processes[1:])
        (directory / "connected").touch()
        (directory / "control.part").write_text(str(processes[0].pid))
        (directory / "control.part").rename(directory / "control")
        sys.stdin.read()
    finally:
        for process in processes:
            process.kill()  # and with it all processes of its host
        for process in processes:
            process.wait()
        for name in names:
            shutil.rmtree(directory / name / "etc", ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1] == "--be":
        be(pathlib.Path(sys.argv[2]), sys.argv[3])
    else:
        main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])
