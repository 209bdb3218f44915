"""How the pages look, what a screen reader meets, and what they weigh. The screenshots are there to
be looked at: .build/screenshots."""

from audit import audit
from chat_page import enter, see, write
from harness import DESKTOP, PHONE, scenario, until

PAGE_BYTES = 100_000

TALK = [
    ("bob", "Morning! Did anyone try the new build?"),
    ("cleo", "Yes, since yesterday evening. Reconnecting after the train tunnel just works now."),
    ("cleo", "It even sent what I wrote in there."),
    ("bob", "Lovely. I put the notes here: https://rex.example/notes/build-42"),
    (
        "dario",
        "Can somebody look at the third point? I am not sure that the numbers are right, since "
        "the machine was busy with the backup while they were taken.",
    ),
    ("bob", "@ann knows most about that"),
]


def people(stage, server):
    """A room in which something is going on."""
    clients = {}
    for name in ("bob", "cleo", "dario"):
        clients[name] = stage.lines(server)
        clients[name].act("join", {"room": "general", "name": name})
        clients[name].act("join", {"room": "garden", "name": name})
    clients["bob"].act("setTopic", {"room": "general", "topic": "What everybody should know"})
    clients["cleo"].act("join", {"room": "release-notes", "name": "cleo"})
    clients["cleo"].act("send", {"room": "release-notes", "text": "0.2.0 is out"})
    clients["dario"].act("send", {"room": "garden", "text": "The tomatoes are ripe"})
    return clients


def looks(dark, size):
    return ("phone" if size == PHONE else "desktop") + ("-dark" if dark else "-light")


def chat_in(stage, dark, size):
    server = stage.server()
    clients = people(stage, server)
    kind = looks(dark, size)
    # Of a phone in the dark there is nothing that the others do not show.
    look = audit if (size, dark) != (PHONE, True) else (lambda *_: None)
    window = stage.window(server.url, size=size, dark=dark, touch=size == PHONE)
    page = window.page
    page.get_by_label("Your name").wait_for()
    until(
        "who is here",
        lambda: page.locator("#door-here").inner_text().split("\n")[-1],
        "3 people are here",
    )
    stage.shoot(window, f"door-{kind}")
    look(window, "the door")
    enter(window, "ann", "garden")
    see(window, "The tomatoes are ripe")
    page.get_by_label("New room").wait_for(state="attached")
    enter_room(window, "general")
    for name, text in TALK[:3]:
        clients[name].act("send", {"room": "general", "text": text})
    write(window, "Good morning everybody")
    until("the messages", lambda: page.locator("#messages .message").count(), 4)
    write(window, "Trying it right now, one moment …")
    until("the messages", lambda: page.locator("#messages .message").count(), 5)
    for name, text in TALK[3:]:
        clients[name].act("send", {"room": "general", "text": text})
    until("the messages", lambda: page.locator("#messages .message").count(), 8)
    assert page.locator(".toast").count() == 0, "what names one is before one's eyes"
    clients["dario"].act("send", {"room": "garden", "text": "Do you want some, @ann?"})
    clients["cleo"].act("typing", {"room": "general"})
    page.get_by_text("cleo is typing", exact=True).wait_for()
    page.locator(".toast").wait_for()
    assert not (size == PHONE and covers(page)), "an alert takes room of its own"
    stage.shoot(window, f"chat-{kind}")
    look(window, "a room")
    page.locator("#people-button").click()
    page.get_by_role("heading", name="People").wait_for()
    stage.shoot(window, f"people-{kind}")
    look(window, "people")
    if size == PHONE:
        page.go_back()
        page.get_by_role("button", name="Back to the rooms").click()
        page.get_by_role("heading", name="Rooms").wait_for()
        stage.shoot(window, f"rooms-{kind}")
        look(window, "rooms")


def covers(page):
    """Whether an alert stands over what the page shows beside it."""
    return page.evaluate("""() => document.querySelector(".toast").getBoundingClientRect().bottom
      > document.getElementById("app").getBoundingClientRect().top""")


def enter_room(window, room):
    """Through the list of rooms, also from outside."""
    page = window.page
    if page.locator("#back").is_visible():
        page.locator("#back").click()
        page.get_by_role("heading", name="Rooms").wait_for()
    page.locator(".room-link", has=page.get_by_text(room, exact=True)).click()
    page.locator("#outside button").click()
    page.get_by_label("Message", exact=True).wait_for()


@scenario
def the_chat_in_light(stage):
    chat_in(stage, False, DESKTOP)


@scenario
def the_chat_in_the_dark(stage):
    chat_in(stage, True, DESKTOP)


@scenario
def the_chat_on_a_phone(stage):
    chat_in(stage, False, PHONE)


@scenario
def the_chat_on_a_phone_in_the_dark(stage):
    chat_in(stage, True, PHONE)


@scenario
def a_phone_in_a_tunnel_and_on_its_side(stage):
    server = stage.server()
    relay = stage.relay(server)
    place = lambda window, what: window.page.locator(what).bounding_box()
    # The door is reached from top to bottom where it is higher than the window.
    low = {"width": PHONE["height"], "height": 300}
    window = stage.window(relay.url, size=low, touch=True, breaks=True)
    window.page.locator("#door form").wait_for()
    assert place(window, "#door form")["y"] >= 0
    assert place(window, "#door form")["height"] > 300
    enter(window, "ann")
    window.page.set_viewport_size(PHONE)
    whole = [0, PHONE["height"]]
    ends = lambda what: [place(window, what)["y"], place(window, what)["y"] + place(window, what)["height"]]
    until("the page", lambda: ends("#app"), whole)
    # What the page has to say takes room from the messages, and from nothing else.
    relay.cut()
    window.page.get_by_text("Offline.").wait_for()
    write(window, "waits")
    window.page.get_by_text("Waiting for a connection").wait_for()
    bar = place(window, "#bar")["height"]
    assert bar < 60, bar
    until("the page", lambda: ends("#app"), [bar, PHONE["height"]])
    until("the head", lambda: ends(".room > header")[0], bar)
    stage.shoot(window, "chat-offline-phone-light")
    audit(window, "offline on a phone")


def inspector_in(stage, dark, size):
    server = stage.server()
    clients = people(stage, server)
    for name, text in TALK:
        clients[name].act("send", {"room": "general", "text": text})
    clients["bob"].act("startTimer", {"dueTime_ms": 60_000, "period_ms": 60_000}, store="counter")
    clients["bob"].act("typing", {"room": "general"})
    kind = looks(dark, size)
    window = stage.window(f"{server.url}/inspector#chat", size=size, dark=dark, touch=size == PHONE)
    page = window.page
    page.locator("#commits .commit-row", has_text="typing").first.wait_for()
    page.locator("#commits .commit-row:visible", has_text="knows most").click()
    page.locator("#detail .step .path").first.click()
    page.locator("#tree .tree-row", has_text="messages").first.wait_for()
    page.locator("#effect-list li").first.wait_for()
    stage.shoot(window, f"inspector-{kind}")
    audit(window, "the inspector")
    for tab in ("Clients", "Topics", "Dispatch"):
        page.get_by_role("tab", name=tab).click()
        if tab == "Clients":
            page.locator("#client-list li").first.wait_for()
        if tab == "Topics":
            clients["bob"].act("send", {"room": "general", "text": "and one event"})
            page.locator("#events .event-row").first.wait_for()
        if size == PHONE:
            page.locator(".side").scroll_into_view_if_needed()
        stage.shoot(window, f"inspector-{tab.lower()}-{kind}")
        if not dark:
            audit(window, tab, ".side")


@scenario
def the_inspector_in_light(stage):
    inspector_in(stage, False, {"width": 1440, "height": 900})


@scenario
def the_inspector_in_the_dark(stage):
    inspector_in(stage, True, DESKTOP)


@scenario
def the_inspector_on_a_phone(stage):
    inspector_in(stage, False, PHONE)


@scenario
def new_messages_are_said_to_who_cannot_see_them(stage):
    server = stage.server()
    ann = enter(stage.window(server.url), "ann")
    terminal = stage.lines(server)
    terminal.act("join", {"room": "general", "name": "tim"})
    page = ann.page
    log = page.get_by_role("log", name="New messages")
    assert log.get_attribute("aria-live") == "polite"
    write(ann, "mine")
    terminal.act("send", {"room": "general", "text": "yours"})
    until("what is said", log.inner_text, "tim: yours")
    # A name in the room that is read is said like the rest; one elsewhere is an alert.
    terminal.act("send", {"room": "general", "text": "hello @ann"})
    until("what is said", log.inner_text, "tim: yours\n\ntim: hello @ann")
    assert page.locator(".toast").count() == 0
    terminal.act("join", {"room": "garden", "name": "tim"})
    terminal.act("send", {"room": "garden", "text": "over here, @ann"})
    page.get_by_role("alert").filter(has_text="over here, @ann").wait_for()
    terminal.act("typing", {"room": "general"})
    page.get_by_role("status").filter(has_text="tim is typing").wait_for()
    for role, name in [
        ("navigation", "Rooms"),
        ("region", "# general"),
        ("list", "Messages"),
        ("textbox", "Message"),
        ("button", "Send"),
    ]:
        assert page.get_by_role(role, name=name, exact=True).count() == 1, (role, name)


@scenario
def a_page_is_small_and_soon_there(stage):
    server = stage.server()
    figures = []
    for path, ready in [
        ("/", "#door:not([hidden])"),
        ("/inspector", "#status[data-status=online]"),
    ]:
        window = stage.window("about:blank")
        page = window.page
        # From the beginning of the way there until the state is on the page and can be used.
        page.add_init_script(f"""(() => {{
          const look = () => document.querySelector("{ready}")
            ? (globalThis.readyAfter = performance.now()) : requestAnimationFrame(look);
          requestAnimationFrame(look);
        }})()""")
        times, sizes = [], []
        for _ in range(3):
            page.goto("about:blank")
            page.goto(server.url + path)
            until("ready", lambda: page.evaluate("Boolean(globalThis.readyAfter)"))
            times.append(page.evaluate("readyAfter"))
            # Later ones come out of the browser's own store.
            sizes = sizes or page.evaluate("""performance.getEntries()
              .filter(({ encodedBodySize }) => encodedBodySize)
              .map(({ name, encodedBodySize }) => [name, encodedBodySize])""")
        total = sum(size for _, size in sizes)
        assert len(sizes) > 5, sizes
        assert total <= PAGE_BYTES, sizes
        assert all(name.startswith(server.url) for name, _ in sizes), sizes
        after = ", ".join(f"{time:.0f}" for time in times)
        figures.append(f"{path} {total:,} bytes, usable after {after} ms")
    return "; ".join(figures)
