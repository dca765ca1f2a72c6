"""Check a built site: no page loads anything from the network, no picture is missing.

python docs/check_site.py out/docs/site
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
"""Elements that a browser loads by itself, and the attribute with the address."""
LOADED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "shortcut icon"}


class Page(HTMLParser):
    """Addresses that a browser loads, targets that a reader can follow, and anchors."""

    def __init__(self, text: str) -> None:
        """Parse a page."""
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the addresses and anchors of one element."""
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if values.get(LOADED.get(tag, "")):
            self.loaded.append(values[LOADED[tag]])
        if tag == "link" and values.get("rel") in LOADED_LINKS:
            self.loaded.append(values["href"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])


def is_remote(address: str) -> bool:
    """Whether an address has a host."""
    return bool(urlsplit(address).netloc)


def find_faults(site: Path) -> Iterator[str]:
    """Remote resources, missing files and missing anchors, one sentence each."""
    files = [path.resolve() for path in site.rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path.read_text("utf-8")) for path in files}
    anchors = {path: page.anchors for path, page in pages.items()}
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        yield from (f"{name} loads {a} from the network" for a in page.loaded if is_remote(a))
        for address in (*page.loaded, *page.links):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{name} refers to {address}, which does not exist"
            elif unquote(parts.fragment) not in {"", *anchors.get(target, [parts.fragment])}:
                yield f"{name} refers to {address}, which has no such anchor"
    for style in site.rglob("*.css"):
        text = style.read_text("utf-8")
        if "url(http" in text or "url(//" in text or "@import url" in text:
            yield f"{style.relative_to(site)} loads from the network"


def main() -> int:
    """Print the faults; return 1 if there is one."""
    faults = sorted(set(find_faults(Path(sys.argv[1]))))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
