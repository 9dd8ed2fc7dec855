"""The site: it builds without a warning, its links lead somewhere, nothing is fetched when it is looked at."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import api_page
import choices_page
import command_page
import gallery_page
import make_gallery
import notebook_page
import pytest
from browser_studio import CHROMIUM, browser
from make_gallery import MOST_BYTES, film_list
from make_gallery import main as make_films

import footfall
from footfall.core.errors import FootfallError

ROOT = Path(__file__).resolve().parents[2]

needs_mkdocs = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("mkdocs", "material", "latex2mathml")),
    reason="the site's builder is not installed: pip install 'footfall[docs]'",
)
LOCAL = ("file:", "data:", "blob:", "about:")


def no_browser() -> str:
    """Why pages cannot be looked at here; empty: they can."""
    if CHROMIUM is None:
        return "no chromium on this machine"
    return "" if importlib.util.find_spec("playwright") else "playwright is not installed"


NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
FETCHES = {"script": "src", "img": "src", "video": "src", "source": "src", "iframe": "src", "link": "href"}


class Page(HTMLParser):
    """What a page links to, fetches, names, and shows."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.names: set[str] = set()
        self.without_text: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.names |= {given[key] for key in ("id", "name") if key in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in FETCHES and FETCHES[tag] in given and given.get("rel") not in ("canonical", "next", "prev"):
            self.fetched.append(given[FETCHES[tag]])
        if (tag == "img" and not given.get("alt")) or (tag == "video" and not given.get("aria-label")):
            self.without_text.append(given.get("src", tag))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> dict[Path, Page]:
    """Every page of the site, built strictly; commands and notebooks are shown and not run, as tests run them."""
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "FOOTFALL_SITE_BRIEF": "1", "NO_MKDOCS_2_WARNING": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return {path: Page(path) for path in sorted(folder.rglob("*.html"))}


@needs_mkdocs
def test_links_and_anchors_lead_somewhere(site):
    wrong = []
    for path, page in site.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in site[target].names):
                wrong.append(f"{path.name}: {link}")
    assert not wrong


@needs_mkdocs
def test_nothing_comes_from_elsewhere(site):
    """Scripts, styles, pictures and films lie in the site; so do those that styles name."""
    folder = min(site).parent
    elsewhere = {
        f"{path.name}: {name}" for path, page in site.items() for name in page.fetched if urlsplit(name).netloc
    }
    for sheet in folder.rglob("*.css"):
        elsewhere |= {
            f"{sheet.name}: {url}" for url in re.findall(r"url\(\s*[\"']?(https?:[^)\"']+)", sheet.read_text("utf-8"))
        }
        elsewhere |= set(re.findall(r"@import[^;]+https?:[^;]+", sheet.read_text("utf-8")))
    assert not elsewhere


@needs_mkdocs
def test_pictures_and_films_have_a_text_alternative(site):
    assert not [(path.name, page.without_text) for path, page in site.items() if page.without_text]


@needs_mkdocs
def test_links_read_as_titles_and_not_as_files(site):
    named = {path.name: re.findall(r">([\w./]+\.md)</a>", path.read_text("utf-8")) for path in site}
    assert not {page: links for page, links in named.items() if links}


@needs_mkdocs
def test_equations_are_drawn(site):
    """Every equation of a page, with its LaTeX as a text alternative and none of it left over."""
    for path in site:
        if path.parent.name != "how" or path.name == "index.html":
            continue
        drawn = re.findall(r"<math .*?</math>", path.read_text("utf-8"), re.DOTALL)
        written = (ROOT / "docs" / "how" / f"{path.stem}.md").read_text("utf-8").count("```math")
        assert len(drawn) >= written > 0
        assert not [one for one in drawn if "\\" in re.sub(r'alttext="[^"]*"', "", one)]


def test_the_python_reference_has_every_public_name():
    listed = [name for names in api_page.GROUPS.values() for name in names]
    assert sorted(listed) == sorted(footfall._HOME)
    page = api_page.api_page()
    assert all(f"### `ff.{name}`" in page for name in listed)
    assert "object at 0x" not in page


def test_the_page_of_commands_has_every_command():
    assert set(command_page.EXAMPLES) == set(command_page.all_commands())
    page = command_page.command_page(run=False)
    assert all(f"## {name}\n" in page for name in command_page.EXAMPLES)


def test_the_choices_have_every_file_of_a_family():
    page = choices_page.choices_page()
    for family in choices_page.FAMILIES:
        for key in choices_page.members(family.package):
            assert f"| `{key}` |" in page


@pytest.mark.long
def test_every_example_of_a_command_runs(monkeypatch, tmp_path):
    said = command_page.run_all()
    assert set(said) == set(command_page.EXAMPLES) - set(command_page.NOT_RUN)
    assert "judged" in said["join"]


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    outputs = notebook_page.run_notebook(path)
    assert outputs
    assert any(output.png.startswith(b"\x89PNG") for output in outputs)
    assert any(output.printed.strip() for output in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_committed_without_output(path):
    book = json.loads(path.read_text("utf-8"))
    assert book["nbformat"] == 4
    assert not [cell for cell in book["cells"] if cell.get("outputs") or cell.get("execution_count")]
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])


def test_there_are_three_notebooks():
    assert len(NOTEBOOKS) == 3


@pytest.mark.slow
@needs_mkdocs
@pytest.mark.skipif(bool(no_browser()), reason=no_browser() or "there is one")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_pages_in_a_browser(site, width, theme):
    """Opened as files: nothing is asked of a network, no script fails, nothing sticks out to the side."""
    folder = min(site).parent
    with browser() as chromium:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        page = context.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda one: None if one.url.startswith(LOCAL) else wrong.append(one.url))
        for name in ("index", "start/first_join", "how/blend_weights", "reference/commands", "results"):
            page.goto((folder / f"{name}.html").as_uri())
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(wide) <= 0, name
            broken = "[...document.images].filter((one) => one.complete && !one.naturalWidth).map((one) => one.src)"
            assert page.evaluate(broken) == [], name
        assert not wrong


@pytest.mark.slow
@needs_mkdocs
@pytest.mark.skipif(bool(no_browser()), reason=no_browser() or "there is one")
def test_search_works_without_a_server(site):
    with browser() as chromium:
        page = chromium.new_context().new_page()
        page.goto((min(site).parent / "index.html").as_uri())
        page.keyboard.press("/")
        page.keyboard.type("inertialize", delay=30)
        page.wait_for_selector(".md-search-result__item")
        assert page.locator(".md-search-result__item").count() >= 3


def test_the_gallery_has_thirty_films_each_told_in_words():
    films = film_list()
    assert len(films) >= 30
    assert all(film.text.endswith(".") and film.title and film.made for film in films.values())
    assert len({film.text for film in films.values()}) == len(films)


def test_the_page_of_the_gallery_shows_the_films_that_are_there(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery_page, "FILMS", tmp_path)
    assert "have not been made" in gallery_page.gallery_page()
    rows = [{"name": n, "group": "Joins", "title": n, "text": f"{n} & <b>", "made": "ff.join"} for n in ("a", "b")]
    (tmp_path / "films.json").write_text(json.dumps(rows), "utf-8")
    (tmp_path / "a.mp4").write_bytes(b"film")
    page = gallery_page.gallery_page()
    assert 'src="gallery/a.mp4" aria-label="a &amp; &lt;b&gt;"' in page
    assert "b.mp4" not in page


@pytest.mark.long
def test_a_film_of_the_gallery_is_made_and_small(tmp_path, monkeypatch):
    pytest.importorskip("imageio_ffmpeg")
    make_films(tmp_path, ["bodies_kick"], again=True)
    assert 1000 < (tmp_path / "bodies_kick.mp4").stat().st_size <= MOST_BYTES
    assert len(json.loads((tmp_path / "films.json").read_text("utf-8"))) == len(film_list())


def test_a_film_that_fails_does_not_keep_the_others_from_the_gallery(tmp_path, monkeypatch, capsys):
    films = dict(list(film_list().items())[:3])
    bad = list(films)[1]

    def make(film, path):
        if film is films[bad]:
            raise FootfallError("no such motion")
        path.write_bytes(b"film")

    monkeypatch.setattr(make_gallery, "film_list", lambda: films)
    monkeypatch.setattr(make_gallery, "make", make)
    with pytest.raises(SystemExit, match=f"1 of 3 films were not made: {bad}"):
        make_films(tmp_path, [], again=False)
    assert "no such motion" in capsys.readouterr().err
    monkeypatch.setattr(gallery_page, "FILMS", tmp_path)
    page = gallery_page.gallery_page()
    assert [f"{name}.mp4" in page for name in films] == [True, False, True]
