"""How Sphinx builds the pages: `make -C docs html`. Warnings are errors, and every example runs."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

from budgetree._version import __version__

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs/extensions"))
GALLERY = (
    "pathway",
    "evaluate",
    "faults",
    "latency",
    "minutes",
    "referral",
    "known_or_new",
    "paper",
    "scale",
)  # in this order

project = "budgetree"
author = "The budgetree developers"
project_copyright = author
version = release = __version__

extensions = [
    "evidence",
    "mathml",
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build", "gallery/*.ipynb", "gallery/*.py", "gallery/*.md5"]
nitpicky = False
default_role = "code"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]  # the gallery's settings hold a class

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "budgetree"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 4,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
NO_PAGES_BELOW = ("index", "scale", "paper_map", "paper", "peers", "evidence/**")
html_sidebars: dict[str, list[str]] = {name: [] for name in NO_PAGES_BELOW}

autosummary_generate = True
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

plot_basedir = str(ROOT / "docs")
plot_include_source = False
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("svg", 90)]

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": ExplicitOrder([f"plot_{name}.py" for name in GALLERY]),
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "matplotlib_animations": False,
    "min_reported_time": 0,
    "write_computation_times": False,
}
