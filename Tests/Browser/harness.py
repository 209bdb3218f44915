"""What the scenarios in a browser stand on: a real server, a wire that can be cut, clients of
lines, and windows whose console must stay clean.

A scenario is a function with `@scenario`. It gets a `Stage`, with which everything ends that it
started. Each has a deadline, and every wait within it one of its own.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".tools/python"
sys.path.insert(0, str(TOOLS))

from playwright.sync_api import sync_playwright  # noqa: E402

# For one wait, and for one scenario, in seconds: many times what a busy machine takes.
PATIENCE = 20
DEADLINE = 60
SHOTS = ROOT / ".build/screenshots"
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
# What Chromium itself says about a connection that a test has broken.
BROKEN = ("WebSocket connection to ", "Failed to load resource: net::ERR_")

scenarios = []


def scenario(body):
    scenarios.append(body)
    return body


class Failure(Exception):
    pass


def until(what, get, wanted=True):
    """Asks until the answer is the wanted one."""
    end = time.monotonic() + PATIENCE
    while (value := get()) != wanted:
        if time.monotonic() > end:
            raise Failure(f"{what}: {value!r}, not {wanted!r}")
        time.sleep(0.04)


class Server:
    """A rex-server on a free port, which can be killed and started again there."""

    def __init__(self, program, *options):
        self.program, self.options = program, options
        self.port = 0
        self.start()

    def start(self):
        with tempfile.TemporaryDirectory(prefix="rex-browser-") as folder:
            ports = os.path.join(folder, "ports")
            words = ["--listen", f"127.0.0.1:{self.port}", "--port-file", ports, "--memory"]
            self.process = subprocess.Popen(
                [self.program, *words, *self.options],
                stdout=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
            )
            line = self.process.stdout.readline().decode()
            if " ready on " not in line:
                raise Failure(f"the server said {line!r}")
            self.port = int(pathlib.Path(ports).read_text().split(":")[-1])

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def close(self):
        if self.process.poll() is None:
            self.kill()


class Lines:
    """A client of lines, as `nc` is one."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.stream = self.socket.makefile("r", encoding="utf-8", newline="\n")

    def send(self, frame):
        self.socket.sendall((json.dumps(frame) + "\n").encode())

    def frame(self):
        line = self.stream.readline()
        if not line:
            raise Failure("the server has closed")
        return json.loads(line)

    def ask(self, frame):
        self.send(frame)
        answer = self.frame()
        if answer["op"] == "error":
            raise Failure(f"{frame}: {answer}")
        return answer

    def act(self, type, payload=None, store="chat"):
        return self.ask({"type": type, "payload": payload, "store": store})

    def state(self, path="", store="chat"):
        return self.ask({"op": "get", "store": store, "path": path})["state"]

    def close(self):
        self.stream.close()
        self.socket.close()


class Relay:
    """Wires to a server. They can be cut, so that nothing gets through until they are mended; and
    those that there are can lose what the server says."""

    def __init__(self, server):
        self.server = server
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.is_cut = False
        self.wires, self.deaf = set(), set()
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                if self.is_cut:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
                except OSError:
                    near.close()
                    continue
                with self.lock:
                    self.wires.add((near, far))
                for source, target, is_answer in [(near, far, False), (far, near, True)]:
                    threading.Thread(
                        target=self.carry, args=(source, target, is_answer), daemon=True
                    ).start()

    def carry(self, source, target, is_answer):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if not (is_answer and source in self.deaf):
                    target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        self.is_cut = True
        with self.lock:
            wires, self.wires = self.wires, set()
        for wire in wires:
            for end in wire:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def mend(self):
        self.is_cut = False

    def lose_answers(self):
        with self.lock:
            self.deaf.update(far for _, far in self.wires)

    def close(self):
        self.cut()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Window:
    """A page in a profile of its own. What its console complains of fails the scenario."""

    def __init__(self, stage, url, size=DESKTOP, dark=False, touch=False, breaks=False):
        self.context = stage.browser.new_context(
            viewport=size,
            color_scheme="dark" if dark else "light",
            has_touch=touch,
            is_mobile=touch,
            reduced_motion="reduce",
            ignore_https_errors=True,
            locale="en-GB",
            timezone_id="UTC",
        )
        self.context.set_default_timeout(PATIENCE * 1000)
        self.problems = []
        self.breaks = breaks
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("console", self.said)
        self.page.goto(url)

    def said(self, message):
        if message.type not in ("error", "warning"):
            return
        if self.breaks and message.text.startswith(BROKEN):
            return
        self.problems.append(f"{message.type}: {message.text} ({message.location})")

    def check(self):
        if self.problems:
            raise Failure("the console says " + "; ".join(self.problems))

    def close(self):
        self.context.close()


class Stage:
    """What one scenario has started."""

    def __init__(self, browser, program):
        self.browser, self.program = browser, program
        self.started = []
        self.windows = []
        self.scratches = []

    def owns(self, thing):
        self.started.append(thing)
        return thing

    def server(self, *options):
        return self.owns(Server(self.program, *options))

    def scratch(self, name, text):
        """A file with this text."""
        folder = tempfile.TemporaryDirectory(prefix="rex-browser-")
        self.scratches.append(folder)
        path = os.path.join(folder.name, name)
        pathlib.Path(path).write_text(text)
        return path

    def relay(self, server):
        return self.owns(Relay(server))

    def lines(self, server):
        return self.owns(Lines(server.port))

    def window(self, url, **options):
        window = self.owns(Window(self, url, **options))
        self.windows.append(window)
        return window

    def shoot(self, window, name):
        SHOTS.mkdir(parents=True, exist_ok=True)
        window.page.screenshot(path=SHOTS / f"{name}.png")

    def check(self):
        for window in self.windows:
            window.check()

    def close(self):
        for thing in reversed(self.started):
            with contextlib.suppress(Exception):
                thing.close()
        for folder in self.scratches:
            folder.cleanup()


def play(browser, program, body):
    """One scenario: whether it went well, and what there is to say."""
    stage = Stage(browser, program)

    def too_late(*_):
        traceback.print_stack(limit=8)
        print(f"not ok {body.__name__}: not done within {DEADLINE} s", flush=True)
        for thing in stage.started:
            if isinstance(thing, Server):
                thing.process.kill()
        os._exit(1)  # the browser goes with the pipe that it is driven by

    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(DEADLINE)
    try:
        figures = body(stage)
        stage.check()
        return True, figures or ""
    except Exception as error:  # a failed wait, an assertion, a clean-up
        traceback.print_exc(limit=-4)
        for index, window in enumerate(stage.windows):
            with contextlib.suppress(Exception):
                stage.shoot(window, f"failed-{body.__name__}-{index}")
        problems = [problem for window in stage.windows for problem in window.problems]
        return False, "; ".join([str(error) or repr(error), *problems])
    finally:
        signal.alarm(0)
        stage.close()


def main(program, names):
    """Plays the scenarios of these names, or all. A line for each, then how many there were."""
    chosen = [body for body in scenarios if not names or body.__name__ in names]
    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            timeout=PATIENCE * 1000,
            args=["--disable-gpu", "--disable-dev-shm-usage", "--force-prefers-reduced-motion"],
        )
        for body in chosen:
            began = time.monotonic()
            is_fine, words = play(browser, program, body)
            took = f"{time.monotonic() - began:.1f} s"
            failed += not is_fine
            print("ok" if is_fine else "not ok", body.__name__, took, words, flush=True)
        browser.close()
    print(f"{len(chosen)} scenarios, {failed} failed")
    return 1 if failed or not chosen else 0
