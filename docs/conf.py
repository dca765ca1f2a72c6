"""Settings of the documentation site, which `make docs` builds without network access.

Why these tools: users of pandas, NumPy, scikit-learn and ArviZ know Sphinx with the PyData theme,
and dedupe's documentation is built by Sphinx too. MyST-NB executes the examples of a page while it
is built, so their output is real. The theme carries its fonts, scripts and search with it. Material
for MkDocs, which Splink uses, is in its final maintenance period and loads fonts from a server.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from docutils.utils.math.latex2mathml import tex2mathml
from myst_nb.core import render

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import partita  # noqa: E402  the installed package

project = "Partita"
version = release = partita.__version__
author = "the Partita authors"
project_copyright = f"{author}, Apache-2.0"
html_title = f"Partita {release}"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options: dict[str, Any] = {
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
}
html_math_renderer = "mathml"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

# every page runs in a folder of its own; one failing cell, or one failing command of a shell cell,
# fails the build
os.environ["BASH_ENV"] = str(HERE / "shell.sh")
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
nb_render_markdown_format = "myst"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

# references to types of other packages: their object lists would need the network
nitpick_ignore_regex = [(r"py:(class|obj|data|exc|attr)", r".*")]
default_role = "code"


def visit_math(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers draw without scripts."""
    from docutils import nodes

    block = isinstance(node, nodes.math_block)
    markup = tex2mathml(node.astext(), as_block=block)
    translator.body.append(f'<div class="math">{markup}</div>' if block else markup)
    raise nodes.SkipNode


def escape_docstring(*event: Any) -> None:
    """Escape signs of formulas that reStructuredText would read as markup, outside of code."""
    lines: list[str] = event[-1]
    for place, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = line.split("`")
            parts[::2] = [re.sub(r"\||(?<=\w)_(?=\W|$)", r"\\\g<0>", part) for part in parts[::2]]
            lines[place] = "`".join(parts)


def join_streams(outputs: list[Any]) -> list[Any]:
    """Join the chunks of a cell's printed output; MyST-NB would begin a line with each chunk."""
    printed = [output for output in outputs if output["output_type"] == "stream"]
    if printed:
        printed[0]["text"] = "".join(output["text"] for output in printed)
    return [output for output in outputs if output not in printed[1:]]


render.coalesce_streams = join_streams


def draw_pictures(app: Any) -> None:
    """Draw the pictures of the concept pages from runs of this source tree."""
    from draw import draw_all

    draw_all(Path(app.srcdir) / "pictures")


def setup(app: Any) -> None:
    """Register the formula writer and the pictures."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
    app.connect("builder-inited", draw_pictures)
    app.connect("autodoc-process-docstring", escape_docstring, priority=400)
