#!/usr/bin/env python3
"""Checks that links of the built pages lead to existing files and ids.

check_links.py FOLDER checks links within the folder; it does not fetch others.
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids = set()
        self.links = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)


def findings(folder):
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    for path, page in sorted(pages.items()):
        for link in sorted(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path
            if parts.path:
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file() or (
                    anchor and target in pages and anchor not in pages[target].ids):
                yield f"{path.relative_to(folder)}: nothing is at {link}"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
