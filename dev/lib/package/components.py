# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# components.py SCRATCH RESOLVED VERSION COMMIT EPOCH NOTICE SBOM [LIBRARY=VERSION...]
# Writes what the executable consists of: NOTICE with the licences, and SBOM as SPDX 2.3. The Swift packages are those of the
# file RESOLVED that the linker of the build in SCRATCH was given a module of. The arguments LIBRARY=VERSION are the
# packages of Debian whose shared libraries it loads.
import datetime
import json
import pathlib
import re
import sys

scratch, resolved, version, commit, epoch, notice, sbom, *libraries = sys.argv[1:]
checkouts = pathlib.Path(scratch, "checkouts")
link_list = next(pathlib.Path(scratch).glob("*/release/apus.product/Objects.LinkFileList"))
linked = set(re.findall(r"/release/([^/]+)\.build/", link_list.read_text()))


def texts(directory, pattern):
    """The licence or notice files of a package, without those of its examples and tests."""
    return [file for file in sorted(directory.glob(pattern)) if file.is_file()]


def spdx_licence(text):
    for marker, identifier in [
        ("Apache License", "Apache-2.0"),
        ("Permission is hereby granted, free of charge", "MIT"),
        ("Redistribution and use in source and binary forms", "BSD-3-Clause"),
    ]:
        if marker in text:
            return identifier
    return "NOASSERTION"


packages = []
for pin in json.loads(pathlib.Path(resolved).read_text())["pins"]:
    directory = checkouts / pathlib.PurePosixPath(pin["location"].removesuffix(".git")).name
    modules = {path.name for path in directory.glob("Sources/**/") if path.is_dir()}
    if not modules & linked:
        continue
    licences = texts(directory, "LICENSE*") + texts(directory, "Sources/*BoringSSL/LICENSE*")
    if not licences:
        sys.exit(f"{directory}: no LICENSE file; NOTICE needs the licence of every package that is linked")
    packages.append(
        {
            "name": pin["identity"],
            "version": pin["state"].get("version") or pin["state"]["revision"],
            "revision": pin["state"]["revision"],
            "location": pin["location"],
            "licence": spdx_licence(licences[0].read_text(errors="replace")),
            "texts": licences + texts(directory, "NOTICE*"),
        }
    )

swift_texts = [pathlib.Path(path) for path in sys.stdin.read().split()]
with open(notice, "w", encoding="utf-8") as out:
    out.write("Apus\nCopyright 2026 the Apus authors\nLicensed under the Apache License, Version 2.0.\n\n")
    out.write("The executable contains the Swift runtime library and Foundation (Apache-2.0 with Runtime Library\n")
    out.write("Exception), with ICU (Unicode-3.0), and the packages below. Packages with equal texts share them.\n")
    seen = {}
    for package in packages:
        out.write(f"\n{'=' * 100}\n{package['name']} {package['version']} ({package['licence']})\n{package['location']}\n")
        for file in package["texts"]:
            text = file.read_text(errors="replace").strip()
            where = f"{package['name']}, {file.name}"
            if text in seen:
                out.write(f"\n{file.name}: equal to {seen[text]}\n")
            else:
                seen[text] = where
                out.write(f"\n{file.name}:\n\n{text}\n")
    for file in swift_texts:
        out.write(f"\n{'=' * 100}\nSwift: {file.name}\n\n{file.read_text(errors='replace').strip()}\n")


def element(name, version, licence, location, reference=None):
    entry = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": location,
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }
    if reference:
        entry["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": reference}
        ]
    return entry


def swift_reference(package):
    path = re.sub(r"^https?://|\.git$", "", package["location"])
    return f"pkg:swift/{path}@{package['version']}"


swift = next((item[6:] for item in libraries if item.startswith("swift=")), "unknown")
entries = [element("apus", version, "Apache-2.0", "NOASSERTION", f"pkg:generic/apus@{version}?vcs_revision={commit}")]
entries += [
    element(p["name"], p["version"], p["licence"], f"git+{p['location']}@{p['revision']}", swift_reference(p))
    for p in packages
]
entries.append(element("swift-runtime", swift, "Apache-2.0 WITH Swift-exception", "https://www.swift.org/install"))
static = len(entries)
for item in libraries:
    name, number = item.split("=", 1)
    if name != "swift":
        entries.append(element(name, number, "NOASSERTION", "NOASSERTION", f"pkg:deb/debian/{name}@{number}"))
created = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
document = {
    "spdxVersion": "SPDX-2.3",
    "dataLicense": "CC0-1.0",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": f"apus-{version}",
    "documentNamespace": f"https://spdx.invalid/apus/{version}/{commit}",
    "creationInfo": {"created": created, "creators": ["Tool: dev/package"]},
    "packages": entries,
    "relationships": [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-apus"}
    ]
    + [
        {
            "spdxElementId": "SPDXRef-apus",
            "relationshipType": "STATIC_LINK" if index < static else "DYNAMIC_LINK",
            "relatedSpdxElement": entry["SPDXID"],
        }
        for index, entry in enumerate(entries)
        if index
    ],
}
pathlib.Path(sbom).write_text(json.dumps(document, indent=1) + "\n")
