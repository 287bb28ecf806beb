# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# image_config.py LAYOUT NAME: gives the image of an OCI layout the NAME under which engines load it, and adds the health check
# and manifest.json. The image specification has no member for health checks, so umoci cannot write it, but Docker reads the
# member that it writes itself. Podman takes health checks from the command line and from a Compose file only. `docker load`
# reads an OCI layout only if Docker keeps images in containerd; otherwise it needs manifest.json, as `docker save` writes it.
import hashlib
import json
import pathlib
import sys

layout, name = pathlib.Path(sys.argv[1]), sys.argv[2]
blobs = layout / "blobs" / "sha256"


def read(descriptor):
    return json.loads((blobs / descriptor["digest"].removeprefix("sha256:")).read_text())


def replace(descriptor, value):
    """Writes the value in place of the descriptor's blob."""
    (blobs / descriptor["digest"].removeprefix("sha256:")).unlink()
    data = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    digest = hashlib.sha256(data).hexdigest()
    (blobs / digest).write_bytes(data)
    descriptor["digest"] = "sha256:" + digest
    descriptor["size"] = len(data)


index = json.loads((layout / "index.json").read_text())
manifest = read(index["manifests"][0])
configuration = read(manifest["config"])
seconds = 1_000_000_000
configuration["config"]["Healthcheck"] = {
    "Test": ["CMD", "/usr/bin/apus", "ready"],
    "Interval": 10 * seconds,
    "Timeout": 6 * seconds,
    "StartPeriod": 10 * seconds,
    "Retries": 3,
}
replace(manifest["config"], configuration)
descriptor = index["manifests"][0]
replace(descriptor, manifest)
# Docker looks images up in containerd by the full name.
descriptor["annotations"] = {
    "org.opencontainers.image.ref.name": name.split(":")[1],
    "io.containerd.image.name": f"docker.io/library/{name}",
}
(layout / "index.json").write_text(json.dumps(index, sort_keys=True, separators=(",", ":")))


def path(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


docker = [
    {"Config": path(manifest["config"]), "RepoTags": [name], "Layers": [path(layer) for layer in manifest["layers"]]}
]
(layout / "manifest.json").write_text(json.dumps(docker, sort_keys=True, separators=(",", ":")))
