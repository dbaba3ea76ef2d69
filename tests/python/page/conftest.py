"""Browsers, and pages to open in them."""

import os
import pathlib
import subprocess

import pytest

import browsers


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The folder of pages that the C++ tests write: HEADRACE_REPORT_TEST is
    their program."""
    folder = tmp_path_factory.mktemp("pages")
    subprocess.run(
        [os.environ["HEADRACE_REPORT_TEST"], "--gtest_filter=PageTest.*"],
        env={**os.environ, "HEADRACE_PAGES": str(folder)}, check=True,
        stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session", params=browsers.STARTERS)
def browser(request):
    started = browsers.STARTERS[request.param]()
    yield started
    started.close()


@pytest.fixture(scope="session", params=browsers.STARTERS)
def dark_browser(request):
    started = browsers.STARTERS[request.param](is_dark=True)
    yield started
    started.close()


@pytest.fixture
def shots(tmp_path):
    """Where pictures of pages go: a folder that stays, if HEADRACE_SHOTS is
    one, for people to look at."""
    return pathlib.Path(os.environ.get("HEADRACE_SHOTS", tmp_path))
