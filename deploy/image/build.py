#!/usr/bin/env python3
"""Makes a container image of a ReTSO tarball: build.py TARBALL IMAGE.tar [PACKAGES]

The image is an archive that podman, skopeo and docker load. Its base are a few Debian packages, as
they are, without their scripts: those of PACKAGES, a directory of .deb files, into which apt-get
downloads what is missing; without it they go where temporary files go. No container engine and no
rights are needed, only a Debian with its apt-get and dpkg-deb. The same tarball and packages make
the same bytes, whenever and wherever.
"""
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from urllib.parse import unquote

# A Java, what its libraries and those of ours are linked to, and a shell with the programs of bin/retso.
PACKAGES = (
    "busybox-static libc6 libgcc-s1 libstdc++6 openjdk-17-jre-headless tzdata zlib1g".split()
)
LEFT_OUT = re.compile(r"usr/share/(doc/.*(?<!/copyright)|man/.*|lintian/.*|bug/.*)|usr/lib/debug/.*")
APPLETS = "awk cat cp date df dirname env grep hostname id kill ls mkdir mktemp mv nc ps readlink rm sed sh sleep tail wget"
USER = 7521
HOME = "opt/retso"
SETTINGS = "etc/retso/retso.properties"
OF_PROJECT = re.compile(r"lib/\w+/(retso-|hbase-integration).*|(bin|conf|region-server|bookkeeper)(/.*)?|README.md")
OF_OTHERS = re.compile(r"(lib|licences)(/.*)?|LICENSE|NOTICE|sbom.cyclonedx.json")


def run(*words, directory=None):
    return subprocess.run(words, cwd=directory, check=True, stdout=subprocess.PIPE).stdout


def packages(directory):
    """The files of the packages, by name, the downloaded ones included."""

    def there():
        files = sorted(directory.glob("*.deb"))
        return {run("dpkg-deb", "--field", file, "Package").decode().strip(): file for file in files}

    missing = [name for name in PACKAGES if name not in there()]
    if missing:
        run("apt-get", "-q", "download", *missing, directory=directory)
    return [there()[name] for name in PACKAGES]


class Layer:
    """A tar that holds each name once, owned by root and without a trace of who made it."""

    def __init__(self, when, file=None):
        self.file = file or tempfile.TemporaryFile()
        self.tar = tarfile.open(fileobj=self.file, mode="w", format=tarfile.GNU_FORMAT)
        self.names = set()
        self.when = when

    def add(self, entry, content=None, owner=0):
        if entry.name in self.names:
            return
        self.names.add(entry.name)
        entry.uid = entry.gid = owner
        entry.uname = entry.gname = ""
        self.tar.addfile(entry, content)

    def make(self, name, mode, kind=tarfile.REGTYPE, text="", link="", owner=0):
        parent = name.rpartition("/")[0]
        if parent:
            self.make(parent, 0o755, tarfile.DIRTYPE)
        entry = tarfile.TarInfo(name)
        content = text.encode()
        entry.mode, entry.type, entry.linkname, entry.mtime = mode, kind, link, self.when
        entry.size = len(content)
        self.add(entry, io.BytesIO(content), owner)

    def end(self):
        """Returns its digest."""
        self.tar.close()
        self.file.seek(0)
        digest = hashlib.sha256()
        for part in iter(lambda: self.file.read(1 << 20), b""):
            digest.update(part)
        return digest.hexdigest()


def base(files, when):
    layer = Layer(when)
    for file in files:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", file], stdout=subprocess.PIPE) as unpacked:
            with tarfile.open(fileobj=unpacked.stdout, mode="r|") as tar:
                for entry in tar:
                    entry.name = os.path.normpath(entry.name)
                    if entry.islnk():
                        entry.linkname = os.path.normpath(entry.linkname)
                    if entry.name != "." and not LEFT_OUT.fullmatch(entry.name):
                        layer.add(entry, tar.extractfile(entry) if entry.isfile() else None)
        if unpacked.returncode:
            sys.exit(f"{file} cannot be unpacked")
        # Where scanners look for the packages of an image that was made like this one.
        control = run("dpkg-deb", "--field", file).decode()
        layer.make(f"var/lib/dpkg/status.d/{file.name.partition('_')[0]}", 0o644, text=control)
    for applet in APPLETS.split():
        layer.make(f"bin/{applet}", 0o777, tarfile.SYMTYPE, link="busybox")
    java = next(name for name in layer.names if re.fullmatch(r"usr/lib/jvm/[^/]+/bin/java", name))
    layer.make("usr/bin/java", 0o777, tarfile.SYMTYPE, link=f"/{java}")
    layer.make("etc/passwd", 0o644, text=f"root:x:0:0::/:/bin/sh\nretso:x:{USER}:{USER}::/var/lib/retso:/bin/sh\n")
    layer.make("etc/group", 0o644, text=f"root:x:0:\nretso:x:{USER}:\n")
    layer.make("etc/nsswitch.conf", 0o644, text="hosts: files dns\n")
    for name in "dev", "proc", "sys":
        layer.make(name, 0o755, tarfile.DIRTYPE)
    layer.make("tmp", 0o1777, tarfile.DIRTYPE)
    layer.make("var/lib/retso", 0o750, tarfile.DIRTYPE, owner=USER)
    return layer


def ours(tarball, when, wanted, unwanted):
    layer = Layer(when)
    layer.make(HOME, 0o755, tarfile.DIRTYPE)
    with tarfile.open(tarball, mode="r|*") as tar:
        for entry in tar:
            name = entry.name.partition("/")[2].rstrip("/")
            if wanted.fullmatch(name) and not (unwanted and unwanted.fullmatch(name)):
                entry.name = f"{HOME}/{name}"
                if name == "conf/retso.properties":
                    # A directory that is mounted there brings its own, with certificates beside it.
                    layer.make(entry.name, 0o777, tarfile.SYMTYPE, link=f"/{SETTINGS}")
                    layer.make(SETTINGS.rpartition("/")[0], 0o755, tarfile.DIRTYPE)
                    entry.name = SETTINGS
                layer.add(entry, tar.extractfile(entry) if entry.isfile() else None)
    return layer


def main(tarball, image, directory):
    version = re.fullmatch(r"retso-(.*)\.tar\.gz", tarball.name).group(1)
    with tarfile.open(tarball, mode="r|*") as tar:
        when = int(tar.next().mtime)
    files = packages(directory)
    layers = [base(files, when), ours(tarball, when, OF_OTHERS, OF_PROJECT), ours(tarball, when, OF_PROJECT, None)]
    digests = [layer.end() for layer in layers]
    sizes = [layer.file.tell() for layer in layers]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
    blobs = {}

    def blob(kind, content):
        data = json.dumps(content, sort_keys=True).encode()
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": f"application/vnd.oci.image.{kind}+json", "digest": f"sha256:{digest}", "size": len(data)}

    config = blob("config.v1", {
        "created": created,
        "architecture": run("dpkg", "--print-architecture").decode().strip(),
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin:/opt/retso/bin", "LANG=C.UTF-8"],
            "WorkingDir": "/var/lib/retso",
            "Volumes": {"/var/lib/retso": {}},
            "ExposedPorts": {"7521/tcp": {}, "7522/tcp": {}},
            "Entrypoint": [f"/{HOME}/bin/retso"],
            # The server refuses this where its settings do not let clients identify themselves.
            "Cmd": ["server", "--listen-host=0.0.0.0", "--http-host=0.0.0.0"],
            "StopSignal": "SIGTERM",
            "Labels": {
                "org.opencontainers.image.title": "ReTSO",
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": "Apache-2.0",
                "io.retso.packages": " ".join("=".join(unquote(file.name).split("_")[:2]) for file in files),
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]},
        "history": [{"created": created, "created_by": what} for what in ("Debian packages", "libraries", "ReTSO")],
    })
    manifest = blob("manifest.v1", {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config,
        "layers": [
            {"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": f"sha256:{digest}", "size": size}
            for digest, size in zip(digests, sizes)
        ],
    })
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
    place = "blobs/sha256/"
    # The last one is for engines that do not know the format of the others.
    texts = {
        "oci-layout": {"imageLayoutVersion": "1.0.0"},
        "index.json": {
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.index.v1+json",
            "manifests": [manifest],
        },
        "manifest.json": [{
            "Config": place + config["digest"].partition(":")[2],
            "RepoTags": [f"retso:{version}"],
            "Layers": [place + digest for digest in digests],
        }],
    }
    with open(image, "wb") as out:
        archive = Layer(when, out)
        for name, content in texts.items():
            archive.make(name, 0o644, text=json.dumps(content, sort_keys=True))
        for digest, data in sorted(blobs.items()):
            archive.make(place + digest, 0o644, text=data.decode())
        for digest, size, layer in zip(digests, sizes, layers):
            entry = tarfile.TarInfo(place + digest)
            entry.size, entry.mtime = size, when
            layer.file.seek(0)
            archive.add(entry, layer.file)
        archive.tar.close()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        given = pathlib.Path(sys.argv[3] if len(sys.argv) == 4 else scratch)
        main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), given)
