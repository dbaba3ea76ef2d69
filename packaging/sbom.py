"""Writes the SPDX document of a build: what headrace is made of.

    sbom.py NAME VERSION FILE NAME=VERSION...

Each NAME is a dependency and its version as Meson found it. Apart from the time, which
SOURCE_DATE_EPOCH sets, equal builds have equal documents.
"""

import datetime
import hashlib
import json
import os
import sys

LICENSES = {
    "Abseil": "Apache-2.0",
    "CLI11": "BSD-3-Clause",
    "FlatBuffers": "Apache-2.0",
    "Highway": "Apache-2.0 OR BSD-3-Clause",
    "ISA-L": "BSD-3-Clause",
    "libdeflate": "MIT",
    "nanobind": "BSD-3-Clause",
    "nlohmann-json": "MIT",
    "robin-map": "MIT",
    "snappy": "BSD-3-Clause",
    "xxHash": "BSD-2-Clause",
    "zlib": "Zlib",
    "zstd": "BSD-3-Clause",
}


def package(name, version, license):
    return {
        "SPDXID": f"SPDXRef-{name}",
        "name": name,
        # Debian's snappy does not say which it is.
        **({} if version in ("", "undefined", "unknown") else {"versionInfo": version}),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": license,
        "copyrightText": "NOASSERTION",
    }


def main():
    _, name, version, path, *dependencies = sys.argv
    found = dict(text.split("=", 1) for text in dependencies)
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", 0))
    now = datetime.datetime.now(datetime.timezone.utc)
    made = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc) if seconds else now
    packages = [package(name, version, "Apache-2.0")]
    packages += [package(one, found[one], LICENSES[one]) for one in sorted(found)]
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{version}-{digest[:32]}",
        "creationInfo": {
            "created": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: {name}-{version}"],
        },
        "packages": packages,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": f"SPDXRef-{name}"},
            *({"spdxElementId": f"SPDXRef-{name}", "relationshipType": "DEPENDS_ON",
               "relatedSpdxElement": f"SPDXRef-{one}"} for one in sorted(found)),
        ],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
