# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Checks that an app can add ApusKit by the URL of this repository.

    python3 dev/lib/kit_product.py

Makes a repository of the working tree with a version, and a package that depends on its product ApusKit by URL. Expects the
package manager to fetch nothing else, and the product to compile against the modules that stand in for Apple's, which
dev/test-kit has built. On Linux the manifest has the product only with APUS_APP_KIT=1; on Apple's systems it always has.
"""

import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / "AppleStandIns" / ".build" / "debug" / "Modules"
ENVIRONMENT = os.environ | {"APUS_APP_KIT": "1", "APUS_STRICT": "0"}

MANIFEST = """// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Client",
    platforms: [.iOS("16.2"), .macOS(.v15)],
    dependencies: [.package(url: "%s", from: "1.0.0")],
    targets: [.target(name: "Client", dependencies: [.product(name: "ApusKit", package: "apus")])]
)
"""
SOURCE = "import ApusKit\nimport Foundation\n\nlet kit: Apus = .shared\n"


def output(*command, directory, environment=ENVIRONMENT):
    run = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, f"{' '.join(map(str, command))}:\n{run.stdout}{run.stderr}"
    return run.stdout


def manifest():
    """The manifest with the product: a library without dependencies, for the systems that ApusKit's own manifest names."""
    package = json.loads(output("swift", "package", "dump-package", directory=ROOT))
    product = next(one for one in package["products"] if one["name"] == "ApusKit")
    assert "library" in product["type"] and product["targets"] == ["ApusKit"], product
    target = next(one for one in package["targets"] if one["name"] == "ApusKit")
    assert target["dependencies"] == [] and (ROOT / target["path"]).is_dir(), target

    kit = json.loads(output("swift", "package", "dump-package", directory=ROOT / "ApusKit"))
    versions = [{one["platformName"]: one["version"] for one in each["platforms"]} for each in (package, kit)]
    assert versions[0]["ios"] == versions[1]["ios"], versions


def repository(directory):
    """A repository of the files of the working tree, as version 1.0.0."""
    names = output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", directory=ROOT)
    archive = subprocess.run(
        ["tar", "-c", "--null", "--ignore-failed-read", "--files-from=-"],
        cwd=ROOT, input=names.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
    )
    directory.mkdir()
    subprocess.run(["tar", "-x"], cwd=directory, input=archive.stdout, check=True)
    git = ["git", "-c", "user.name=apus", "-c", "user.email=apus@example.com"]
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "1.0.0"], ["tag", "1.0.0"]):
        output(*git, *command, directory=directory)


def client(directory, url):
    (directory / "Sources" / "Client").mkdir(parents=True)
    (directory / "Package.swift").write_text(MANIFEST % url)
    (directory / "Sources" / "Client" / "Client.swift").write_text(SOURCE)


def fetched(tree):
    return [tree["identity"], *(name for one in tree["dependencies"] for name in fetched(one))]


def main():
    manifest()
    with tempfile.TemporaryDirectory(prefix="apus-kit-product-") as path:
        directory = pathlib.Path(path)
        repository(directory / "apus")
        client(directory / "client", (directory / "apus").as_uri())
        caches = ["--cache-path", directory / "cache"]
        tree = json.loads(
            output("swift", "package", *caches, "show-dependencies", "--format", "json", directory=directory / "client")
        )
        assert fetched(tree) == ["client", "apus"], fetched(tree)
        output("swift", "build", *caches, "-Xswiftc", "-I", "-Xswiftc", MODULES, directory=directory / "client")
    print("ApusKit by URL: the product compiles, and nothing but this repository is fetched")


main()
