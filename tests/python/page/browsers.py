"""Chromium and Firefox without windows, by WebDriver BiDi.

Firefox speaks it itself; for Chromium, chromedriver does. Either is a Browser.
"""

import base64
import contextlib
import http.client
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

import websocket

# Seconds that a browser has to start, or to answer.
PATIENCE = 60

# Wide enough for all columns.
USUAL_SIZE = (1400, 900)


class Failed(Exception):
    """What a browser says of a command that it did not carry out."""


class Browser:
    """One window of a browser. `errors` are lines of its console above "info",
    and exceptions; `requests` are the addresses that pages asked for."""

    def __init__(self, name, process, folder, url, capabilities=None):
        self.name = name
        self.errors = []
        self.requests = []
        self._process = process
        self._folder = folder
        self._ids = itertools.count(1)
        self._socket = websocket.create_connection(
            url, timeout=PATIENCE, suppress_origin=True)
        if capabilities is not None:
            self.send("session.new", {"capabilities": capabilities})
        self.send("session.subscribe", {
            "events": ["log.entryAdded", "network.beforeRequestSent"]})
        # The tab that Firefox begins with never has the focus.
        self.context = self.send(
            "browsingContext.create", {"type": "tab"})["context"]
        self.send("browsingContext.activate", {"context": self.context})
        self.resize(*USUAL_SIZE)

    def send(self, method, params):
        number = next(self._ids)
        self._socket.send(json.dumps(
            {"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                break
            self._take_event(message)
        if message["type"] != "success":
            raise Failed(f"{method}: {message['error']}: {message['message']}")
        return message["result"]

    def _take_event(self, message):
        if message.get("method") == "log.entryAdded":
            if message["params"]["level"] in ("error", "warn"):
                self.errors.append(message["params"]["text"])
        elif message.get("method") == "network.beforeRequestSent":
            self.requests.append(message["params"]["request"]["url"])

    def open(self, path):
        """Loads a file, and forgets what was said of the pages before."""
        self.errors.clear()
        self.requests.clear()
        self.send("browsingContext.navigate", {
            "context": self.context, "url": path.resolve().as_uri(),
            "wait": "complete"})

    def run(self, script, *args):
        """The value of the body of an async function, of `args`."""
        result = self.send("script.callFunction", {
            "functionDeclaration":
                "async text => JSON.stringify((await (async args => {"
                + script + "})(JSON.parse(text))) ?? null)",
            "arguments": [{"type": "string", "value": json.dumps(args)}],
            "awaitPromise": True, "target": {"context": self.context}})
        if result["type"] != "success":
            raise Failed(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def keys(self, *keys):
        """Presses keys one after another; \\ue004 is Tab, \\ue007 Enter."""
        actions = []
        for key in keys:
            actions += [{"type": "keyDown", "value": key},
                        {"type": "keyUp", "value": key}]
        self.send("input.performActions", {
            "context": self.context,
            "actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def resize(self, width, height):
        self.send("browsingContext.setViewport", {
            "context": self.context,
            "viewport": {"width": width, "height": height}})

    def screenshot(self, path, whole=True):
        """Of the whole document, or of what the window shows."""
        data = self.send("browsingContext.captureScreenshot", {
            "context": self.context,
            "origin": "document" if whole else "viewport"})["data"]
        path.write_bytes(base64.b64decode(data))

    def print(self, path):
        data = self.send("browsingContext.print", {
            "context": self.context, "background": True})["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        # chromedriver does not take its browser with it when it ends.
        with contextlib.suppress(Failed, OSError, websocket.WebSocketException):
            self.send("browser.close", {})
        self._socket.close()
        self._process.terminate()
        self._process.wait(PATIENCE)
        shutil.rmtree(self._folder, ignore_errors=True)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def start_firefox(is_dark=False, program="firefox-esr"):
    folder = tempfile.mkdtemp(prefix="headrace-firefox-")
    with open(f"{folder}/user.js", "w", encoding="utf-8") as preferences:
        scheme = 0 if is_dark else 1
        preferences.write(
            f'user_pref("layout.css.prefers-color-scheme.content-override", '
            f'{scheme});\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
            'user_pref("browser.shell.checkDefaultBrowser", false);\n')
    process = subprocess.Popen(
        [program, "--headless", "--no-remote", "--profile", folder,
         "--remote-debugging-port", "0", "about:blank"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "HOME": folder})
    for line in process.stderr:
        match = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
        if match:
            return Browser("firefox", process, folder, match[1] + "/session",
                           {"alwaysMatch": {}})
    raise Failed(f"{program} did not start")


def start_chromium(is_dark=False, program="chromium"):
    folder = tempfile.mkdtemp(prefix="headrace-chromium-")
    port = free_port()
    process = subprocess.Popen(
        ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": folder})
    # Root, which containers run as, has no sandbox.
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu",
                 "--hide-scrollbars", "--force-color-profile=srgb",
                 f"--user-data-dir={folder}/profile"]
    if is_dark:
        arguments.append("--blink-settings=preferredColorScheme=0")
    wanted = {"capabilities": {"alwaysMatch": {
        "webSocketUrl": True, "browserName": "chrome",
        "goog:chromeOptions": {"binary": shutil.which(program),
                               "args": arguments}}}}
    end = time.monotonic() + PATIENCE
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request("POST", "/session", json.dumps(wanted),
                               {"Content-Type": "application/json"})
            value = json.loads(connection.getresponse().read())["value"]
            break
        except ConnectionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    if "capabilities" not in value:
        process.terminate()
        raise Failed(value["message"])
    return Browser("chromium", process, folder,
                   value["capabilities"]["webSocketUrl"])


STARTERS = {"chromium": start_chromium, "firefox": start_firefox}
