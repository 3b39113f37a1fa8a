"""How Sphinx makes the site from the pages in docs/: `sphinx-build -c docs/site docs build/site`."""

from __future__ import annotations

import sys
from pathlib import Path

import errai

sys.path.insert(0, str(Path(__file__).parent))  # the extensions beside this file

project = "Errai"
author = "The Errai founders"
project_copyright = author
version = release = errai.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "code_pages",
    "formulas",
    "references",
]
exclude_patterns = ["site"]
nitpicky = True
highlight_language = "none"

# The pages are written for GitHub as well: its anchors for headings, and formulas between dollars.
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]

autosummary_generate = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False  # parameters that are described together stay together

html_theme = "furo"
html_title = "Errai"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
