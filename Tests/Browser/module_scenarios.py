"""rex.js in a browser, with a page of nothing else around it."""

import http.server
import random
import re
import threading

from harness import ROOT, Failure, scenario, until

# A page of the server's own origin with no script of its own.
BLANK = "/livez"
CONNECT = """
  const { connect } = await import("/rex.js");
  globalThis.connection = connect({ minDelay: 20, maxDelay: 200 });
  globalThis.store = connection.store("doc");
"""


def blank(stage, url, setup="", **options):
    window = stage.window(url + BLANK, **options)
    window.page.evaluate("async () => {" + CONNECT + setup + "}")
    return window


def append(window, first, end):
    """Sends the numbers from the first one on, without waiting for answers."""
    window.page.evaluate(
        """([first, end]) => {
      for (let value = first; value < end; value++) {
        answers.push(store.dispatch({ type: "append", payload: { path: "/log", value } }));
      }
    }""",
        [first, end],
    )


PAGE = '<!doctype html><title>page</title><link rel="icon" href="data:,">'


def blocks(document, language, server):
    """The examples of a document in a language, for a server of the test."""
    text = (ROOT / document).read_text()
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)
    return [block.replace("127.0.0.1:7390", f"127.0.0.1:{server.port}") for block in found]


class Site:
    """A page on a server of its own."""

    def __init__(self):
        site = self

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(site.text.encode())

            def log_message(self, *_):
                pass

        self.text = ""
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@scenario
def three_lines_connect_a_page_of_an_origin_on_the_list(stage):
    site = stage.owns(Site())
    server = stage.server("--allow-origin", site.url)
    [text] = blocks("README.md", "html", server)
    site.text = PAGE + text.replace("</script>", "globalThis.store = store;</script>")
    window = stage.window(site.url)
    until("the title", window.page.title, "count 0")
    stage.lines(server).act("increment", store="counter")
    until("the title", window.page.title, "count 1")
    assert window.page.evaluate("store.dispatch({ type: 'add', payload: 4 })")["rev"] == 2
    until("the title", window.page.title, "count 5")
    # The answers over HTTP are for it too, and the question before an action is answered.
    ack = window.page.evaluate(
        """async (url) => (await fetch(`${url}/stores/counter/actions`, { method: "POST",
          headers: { "Content-Type": "application/json", "Idempotency-Key": "k" },
          body: '{"type":"increment"}' })).json()""",
        server.url,
    )
    assert ack["rev"] == 3, ack
    # A page of another origin gets nothing, neither the module nor a socket.
    other = stage.window(stage.owns(Site()).url)
    for attempt in (
        "(url) => import(`${url}/rex.js`).then(() => 'got it', () => 'refused')",
        """(url) => new Promise((resolve) => { 
          const socket = new WebSocket(url.replace("http", "ws") + "/ws");
          socket.onopen = () => resolve("got it"); socket.onerror = () => resolve("refused"); })""",
    ):
        assert other.page.evaluate(attempt, server.url) == "refused", attempt
    other.problems.clear()


@scenario
def the_examples_of_the_guide_run(stage):
    site = stage.owns(Site())
    server = stage.server("--allow-origin", site.url)
    said = []
    for example in blocks("docs/browser.md", "js", server):
        done = "document.title = 'done';"
        site.text = f"{PAGE}<script type='module'>{example}\n{done}</script>"
        window = stage.window("about:blank")
        window.page.on("console", lambda message: said.append(message.text))
        window.page.goto(site.url)
        until("the end", window.page.title, "done")
    for line in (
        "the count is 5",
        "applied at revision 1",
        "the lamp changed true",
        "the door changed false",
        "online ",
        "chat.general hello",
        "refused: unknown_store",
        "the loop has ended",
        "left: true",
    ):
        until(line, lambda: line in said)
    for beginning in ("true rejected ", "bad_frame ", "the lamp {", "rejected operation 0, replace", "connected: "):
        assert any(line.startswith(beginning) for line in said), (beginning, said)


@scenario
def broken_connections_lose_and_double_nothing(stage):
    server = stage.server()
    relay = stage.relay(server)
    terminal = stage.lines(server)
    window = blank(
        stage,
        relay.url,
        """
      store.subscribe("/log", (log) => (globalThis.log = log));
      globalThis.answers = [];
    """,
        breaks=True,
    )
    watcher = blank(stage, server.url, 'store.subscribe("/log", (log) => (globalThis.log = log));')
    choice = random.Random(1)
    sent = 0
    for _ in range(12):
        more = choice.randrange(5, 30)
        # Some wires break before there is a connection, some when a part of the numbers is there,
        # and some of these when only the answers are lost.
        is_online = choice.random() < 0.7
        if is_online:
            until("a connection", lambda: window.page.evaluate("connection.status"), "online")
            if choice.random() < 0.5:
                relay.lose_answers()
        append(window, sent, sent + more)
        if is_online:
            until("that some arrive", lambda: len(terminal.state("/log", "doc") or []) > sent)
        sent += more
        relay.cut()
        relay.mend()
    revisions = [ack["rev"] for ack in window.page.evaluate("Promise.all(answers)")]
    assert revisions == list(range(1, sent + 1)), revisions
    for page in (window.page, watcher.page):
        until("the copy", lambda: page.evaluate("log"), list(range(sent)))
    assert terminal.state("/log", "doc") == list(range(sent))


@scenario
def a_server_that_is_killed_and_started_again(stage):
    server = stage.server()
    window = blank(
        stage,
        server.url,
        """
      globalThis.lives = new Map(); // by epoch, the newest list of it
      const watch = store.watch("/log");
      watch.subscribe(() => lives.set(watch.position.epoch, watch.getSnapshot()));
      globalThis.answers = [];
    """,
        breaks=True,
    )
    sent = 0
    for _ in range(3):
        append(window, sent, sent + 50)
        sent += 50
        if sent < 150:
            server.kill()
            server.start()
    window.page.evaluate("Promise.all(answers)")
    lives = window.page.evaluate("[...lives.values()].filter(Boolean)")
    for log in lives:
        assert log == sorted(set(log)), log
    # What the first had not answered went to the next; the last one has all that it answered.
    last = stage.lines(server).state("/log", "doc")
    assert last == list(range(last[0], sent)), last
    until("the copy", lambda: window.page.evaluate("[...lives.values()].at(-1)"), last)
    assert window.page.evaluate("connection.status") == "online"


@scenario
def a_place_is_an_external_store_and_an_async_sequence(stage):
    server = stage.server()
    terminal = stage.lines(server)
    terminal.act("merge", {"rooms": {"a": {"n": 1}, "b": {"n": 1}}}, store="doc")
    window = blank(stage, server.url)
    page = window.page
    # As React calls them: without `this`, and again and again.
    assert page.evaluate("""async () => {
      const { subscribe, getSnapshot } = store.watch("/rooms");
      let changes = 0;
      globalThis.stop = subscribe(() => changes++);
      while (!changes) await new Promise(requestAnimationFrame);
      globalThis.first = getSnapshot();
      globalThis.getSnapshot = getSnapshot;
      return getSnapshot() === first && first.a.n === 1;
    }""")
    terminal.act("set", {"path": "/rooms/a/n", "value": 2}, store="doc")
    until("the copy", lambda: page.evaluate("getSnapshot().a.n"), 2)
    assert page.evaluate(
        "getSnapshot() !== first && getSnapshot().a !== first.a && getSnapshot().b === first.b"
        " && first.a.n === 1"
    )
    page.evaluate("""() => { globalThis.seen = []; globalThis.done = (async () => {
      for await (const value of store.watch("/rooms/b/n")) {
        seen.push(value);
        if (value === 3) break;
      }
      return "done"; })(); }""")
    until("the present value", lambda: page.evaluate("seen"), [1])
    terminal.act("set", {"path": "/rooms/b/n", "value": 3}, store="doc")
    assert page.evaluate("done") == "done"
    assert page.evaluate("seen") == [1, 3]
    page.evaluate("stop()")
    until("the subscriptions", lambda: metric(page, 'rex_subscriptions{store="doc"}'), 0)
    # Events go from page to page.
    page.evaluate("""() => {
      globalThis.events = [];
      connection.listen("news.*", (data) => events.push(data));
    }""")
    other = blank(stage, server.url)
    publish = "connection.publish('news.x', { n: 1 })"
    until("a listener", lambda: other.page.evaluate(publish)["listeners"], 1)
    until("the event", lambda: page.evaluate("events[0]"), {"n": 1})


def metric(page, name):
    text = page.evaluate("fetch('/metrics').then((answer) => answer.text())")
    for line in text.split("\n"):
        if line.startswith(name + " "):
            return int(line.split(" ")[-1])
    raise Failure(f"no {name}")


@scenario
def who_closes_is_gone_at_once(stage):
    config = stage.scratch("rex.json", '{"limits": {"grace_ms": 600000}}')
    server = stage.server("--config", config)
    terminal = stage.lines(server)
    terminal.ask({"op": "listen", "topic": "$presence.doc.*"})
    page = blank(stage, server.url).page
    client = page.evaluate("store.dispatch({ type: 'merge', payload: {} })"
                           ".then(() => connection.welcome.client)")
    wanted = lambda event: ("$presence.doc." + event, {"client": client, "user": None})
    said = lambda frame: (frame["topic"], frame["data"])
    assert said(terminal.frame()) == wanted("join")
    page.evaluate("connection.close()")
    assert said(terminal.frame()) == wanted("leave")


@scenario
def a_stream_of_events_goes_on_where_it_was(stage):
    server = stage.server()
    relay = stage.relay(server)
    terminal = stage.lines(server)
    window = stage.window(relay.url + BLANK, breaks=True)
    page = window.page
    page.evaluate("""() => {
      globalThis.frames = [];
      const source = new EventSource("/stores/counter/patches?path=/count");
      for (const type of ["state", "patch"]) {
        source.addEventListener(type, ({ data }) => frames.push(JSON.parse(data)));
      }
    }""")
    until("the state", lambda: page.evaluate("frames.length"), 1)
    terminal.act("increment", store="counter")
    until("a patch", lambda: page.evaluate("frames.length"), 2)
    relay.cut()
    for _ in range(3):
        terminal.act("increment", store="counter")
    relay.mend()
    until("what was missed", lambda: page.evaluate("frames.length"), 3)
    missed = page.evaluate("frames[2]")
    assert (missed["op"], missed["from"], missed["rev"]) == ("patch", 1, 4), missed
    assert missed["patch"] == [{"op": "replace", "path": "", "value": 4}], missed
