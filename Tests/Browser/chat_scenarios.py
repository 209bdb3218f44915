"""The chat page, as people meet it."""

from audit import audit
from chat_page import (
    enter,
    hurry,
    on_their_way,
    people_in,
    room_of,
    see,
    texts,
    wait_offline,
    write,
)
from harness import PHONE, ROOT, Failure, scenario, until


@scenario
def two_windows_and_a_terminal_chat(stage):
    server = stage.server()
    ann = enter(stage.window(server.url), "ann")
    bob = enter(stage.window(server.url), "bob")
    terminal = stage.lines(server)
    terminal.act("join", {"room": "general", "name": "tim"})
    write(ann, "hello")
    see(bob, "hello")
    write(bob, "hi ann")
    # The order of what different people send is that in which it arrives.
    see(ann, "hello", "hi ann")
    terminal.act("send", {"room": "general", "text": "from nc"})
    for window in (ann, bob):
        see(window, "hello", "hi ann", "from nc")
        until("who is here", lambda: people_in(window), "3")
    said = terminal.state("/rooms/general/messages")
    assert [(each["from"], each["text"]) for each in said] == [
        ("ann", "hello"),
        ("bob", "hi ann"),
        ("tim", "from nc"),
    ]
    # Markup in a message is text, and nothing else.
    terminal.act("send", {"room": "general", "text": "<img src=x onerror=alert(1)> & <b>b</b>"})
    see(ann, "hello", "hi ann", "from nc", "<img src=x onerror=alert(1)> & <b>b</b>")
    # Who types is shown to others, and no longer when the message is there.
    bob.page.get_by_label("Message", exact=True).press_sequentially("so")
    ann.page.get_by_text("bob is typing", exact=True).wait_for()
    bob.page.get_by_label("Message", exact=True).press("Enter")
    ann.page.locator("#typing").get_by_text("bob is typing").wait_for(state="hidden")


@scenario
def a_message_is_edited_and_removed_by_its_writer(stage):
    server = stage.server()
    ann = enter(stage.window(server.url), "ann")
    bob = enter(stage.window(server.url), "bob")
    write(ann, "helo")
    see(bob, "helo")
    assert bob.page.get_by_role("button", name="Edit").count() == 0
    # Up in an empty box takes one's last message.
    ann.page.get_by_label("Message", exact=True).press("ArrowUp")
    ann.page.get_by_text("Editing your message").wait_for()
    audit(ann, "editing")
    write(ann, "hello")
    see(bob, "hello")
    bob.page.locator("#messages").get_by_text("edited").wait_for()
    ann.page.locator("#messages .message").hover()
    ann.page.get_by_role("button", name="Delete").click()
    assert texts(bob) == ["hello"], "it asks first"
    audit(ann, "removing")
    ann.page.get_by_role("button", name="Delete").click()
    see(bob)
    see(ann)


@scenario
def unread_messages_are_counted_until_they_are_seen(stage):
    server = stage.server()
    ann = enter(stage.window(server.url), "ann")
    terminal = stage.lines(server)
    terminal.act("join", {"room": "general", "name": "tim"})
    page = ann.page
    page.get_by_label("New room").fill("garden")
    page.get_by_role("button", name="Make the room").click()
    page.locator("#room-name", has_text="garden").wait_for()
    for text in ("one", "two", "three"):
        terminal.act("send", {"room": "general", "text": text})
    badge = room_of(ann, "general").locator(".badge")
    until("the count", badge.inner_text, "3")
    until("the title", page.title, "(3) #garden · Rex chat")
    room_of(ann, "general").click()
    see(ann, "one", "two", "three")
    page.get_by_text("New", exact=True).wait_for()
    badge.wait_for(state="hidden")
    until("the title", page.title, "#general · Rex chat")
    until("the store", lambda: terminal.state("/users/ann/unread/general"), 0)


@scenario
def a_name_in_a_message_alerts_its_owner(stage):
    server = stage.server()
    ann = enter(stage.window(server.url), "ann")
    bob = enter(stage.window(server.url), "bob")
    page = ann.page
    page.get_by_label("New room").fill("garden")
    page.get_by_role("button", name="Make the room").click()
    page.locator("#room-name", has_text="garden").wait_for()
    write(bob, "are you there, @ann?")
    alert = page.get_by_role("alert").filter(has_text="bob in #general")
    alert.wait_for()
    assert bob.page.locator(".toast").count() == 0
    # The same again is another alert.
    write(bob, "are you there, @ann?")
    until("the alerts", page.locator(".toast").count, 2)
    page.locator(".toast").first.get_by_role("button", name="Dismiss").click()
    until("the alerts", page.locator(".toast").count, 1)
    page.locator(".toast .open").click()
    page.locator("#room-name", has_text="general").wait_for()
    see(ann, "are you there, @ann?", "are you there, @ann?")
    until("the marks", page.locator(".message.mentions").count, 2)


@scenario
def a_name_in_the_room_that_is_read_is_no_alert(stage):
    server = stage.server()
    ann = enter(stage.window(server.url), "ann")
    page = ann.page
    terminal = stage.lines(server)
    terminal.act("join", {"room": "general", "name": "tim"})
    terminal.act("send", {"room": "general", "text": "here, @ann"})
    # An alert shows the beginning of a long message only.
    terminal.act("send", {"room": "general", "text": "@ann, " + "and so on, " * 30})
    until("the marks", page.locator(".message.mentions").count, 2)
    for number in range(40):
        terminal.act("send", {"room": "general", "text": f"line {number}"})
    until("the messages", page.locator("#messages .message").count, 42)
    assert page.locator(".toast").count() == 0
    # Who has scrolled up does not see it, and is brought to it.
    page.locator("#scroller").evaluate("it => (it.scrollTop = 0)")
    page.locator("#messages .message").first.hover()
    terminal.act("send", {"room": "general", "text": "still there, @ann?"})
    page.locator(".toast .open").click()
    page.locator(".message.mentions").last.wait_for()
    in_sight = """() => [...document.querySelectorAll(".message.mentions")].at(-1)
      .getBoundingClientRect().bottom <= document.getElementById("scroller").getBoundingClientRect().bottom"""
    until("that it is in sight", lambda: page.evaluate(in_sight))
    until("the alerts", page.locator(".toast").count, 0)
    # An alert goes when its room is read by another way.
    page.get_by_label("New room").fill("garden")
    page.get_by_role("button", name="Make the room").click()
    page.locator("#room-name", has_text="garden").wait_for()
    terminal.act("send", {"room": "general", "text": "and now, @ann?"})
    page.locator(".toast").wait_for()
    # By keyboard it is dismissed without losing the place.
    terminal.act("send", {"room": "general", "text": "or now, @ann?"})
    until("the alerts", page.locator(".toast").count, 2)
    page.locator(".toast").first.get_by_role("button", name="Dismiss").focus()
    page.keyboard.press("Enter")
    until("the alerts", page.locator(".toast").count, 1)
    assert page.evaluate("document.activeElement.id") == "text"
    terminal.act("send", {"room": "general", "text": "@ann, " + "once more, " * 30})
    page.get_by_role("alert").filter(has_text="tim in #general").last.wait_for()
    until("the alerts", page.locator(".toast").count, 2)
    room_of(ann, "general").click()
    until("the alerts", page.locator(".toast").count, 0)


@scenario
def back_pops_a_screen(stage):
    server = stage.server()
    ann = enter(stage.window(server.url, size=PHONE, touch=True), "ann")
    terminal = stage.lines(server)
    page = ann.page
    screens = lambda: terminal.state("/users/ann/graph/path")
    shown = lambda: page.locator("#app").get_attribute("data-screen")
    until("the screens", screens, ["rooms", "room"])
    page.get_by_role("button", name="People: 1").click()
    until("the screens", screens, ["rooms", "room", "members"])
    page.get_by_role("heading", name="People").wait_for()
    page.go_back()
    until("the screens", screens, ["rooms", "room"])
    until("the screen", shown, "room")
    page.go_back()
    until("the screens", screens, ["rooms"])
    until("the screen", shown, "rooms")
    assert page.get_by_role("heading", name="Rooms").is_visible()
    # Forward pushes it again, and the arrow of the page is the browser's.
    page.go_forward()
    until("the screens", screens, ["rooms", "room"])
    page.get_by_role("button", name="Back to the rooms").click()
    until("the screens", screens, ["rooms"])
    # A screen that somebody else pops goes away too.
    room_of(ann, "general").click()
    until("the screen", shown, "room")
    page.get_by_role("button", name="People: 1").click()
    until("the screens", screens, ["rooms", "room", "members"])
    stage.shoot(ann, "chat-people-phone-light")


@scenario
def a_window_goes_offline_and_comes_back(stage):
    server = stage.server()
    relay = stage.relay(server)
    ann = enter(stage.window(relay.url, breaks=True), "ann")
    bob = enter(stage.window(server.url), "bob")
    write(ann, "1")
    see(bob, "1")
    relay.cut()
    wait_offline(ann)
    ann.page.get_by_text("Offline.").wait_for()
    write(bob, "2")
    write(ann, "3")
    write(ann, "4")
    until("what waits", lambda: on_their_way(ann), ["3", "4"])
    stage.shoot(ann, "chat-offline-desktop-light")
    audit(ann, "offline")
    assert texts(ann) == ["1"]
    ann.page.get_by_role("button", name="Try now").click()  # in vain
    relay.mend()
    hurry(ann)
    for window in (ann, bob):
        see(window, "1", "2", "3", "4")
    until("what waits", lambda: on_their_way(ann), [])
    ann.page.locator("#bar").wait_for(state="hidden")
    # The server gets it, but its answer is lost: sent again, it counts once.
    relay.lose_answers()
    write(ann, "5")
    see(bob, "1", "2", "3", "4", "5")
    until("what waits", lambda: on_their_way(ann), ["5"])
    relay.cut()
    wait_offline(ann)
    relay.mend()
    hurry(ann)
    for window in (ann, bob):
        until("who is here", lambda: people_in(window), "2")
        see(window, "1", "2", "3", "4", "5")
    until("what waits", lambda: on_their_way(ann), [])
    write(ann, "6")
    for window in (ann, bob):
        see(window, "1", "2", "3", "4", "5", "6")


@scenario
def a_killed_server_is_found_again(stage):
    server = stage.server()
    ann = enter(stage.window(server.url, breaks=True), "ann")
    bob = enter(stage.window(server.url, breaks=True), "bob")
    write(ann, "before")
    see(bob, "before")
    server.kill()
    for window in (ann, bob):
        wait_offline(window)
    write(ann, "meanwhile")
    server.start()
    for window in (ann, bob):
        hurry(window)
    # Nothing was kept of what was; what waited is said, once, and both are in the room again.
    for window in (ann, bob):
        see(window, "meanwhile")
        until("who is here", lambda: people_in(window), "2")
    until("what waits", lambda: on_their_way(ann), [])


def place_of(window):
    """Room and screen, as the page shows them, and what the address says."""
    page = window.page
    return [
        page.locator("#room-name").inner_text(),
        page.locator("#app").get_attribute("data-screen"),
        page.locator("#nothing").is_visible(),
        page.evaluate("location.hash"),
    ]


@scenario
def a_new_server_finds_everybody_where_they_were(stage):
    server = stage.server()
    ann = enter(stage.window(server.url, breaks=True), "ann")
    page = ann.page
    page.get_by_label("New room").fill("garden")
    page.get_by_role("button", name="Make the room").click()
    bob = enter(stage.window(server.url, size=PHONE, touch=True, breaks=True), "bob")
    bob.page.get_by_role("button", name="Back to the rooms").click()
    room_of(bob, "garden").click()
    there = ["garden", "room", False, "#garden"]
    for window in (ann, bob):
        until("the place", lambda: place_of(window), there)
    bob.page.locator("#outside").get_by_text("from outside").wait_for()
    stage.lines(server).act("join", {"room": "attic", "name": "tim"})
    room_of(ann, "attic").click()
    until("the place", lambda: place_of(ann)[0], "attic")
    room_of(ann, "garden").click()
    write(ann, "before")
    see(ann, "before")
    server.kill()
    for window in (ann, bob):
        wait_offline(window)
    server.start()
    hurry(ann)
    page.get_by_text("The server has begun anew").wait_for()  # it goes away after a while
    hurry(bob)
    terminal = stage.lines(server)
    for name in ("ann", "bob"):
        until(
            "the screens",
            lambda: (terminal.state(f"/users/{name}/graph/path") or [])[:2],
            ["rooms", "room"],
        )
    see(ann)
    write(ann, "after")
    see(ann, "after")
    until("the place", lambda: place_of(ann), there)
    until("the place", lambda: place_of(bob), there)
    # Back is a step back, and not into another room.
    page.go_back()
    until("the place", lambda: place_of(ann)[1:], ["rooms", True, "#garden"])
    page.go_forward()
    until("the place", lambda: place_of(ann), there)
    see(ann, "after")


@scenario
def a_room_that_is_gone_is_said_to_be(stage):
    server = stage.server()
    terminal = stage.lines(server)
    terminal.act("join", {"room": "attic", "name": "tim"})
    ann = enter(stage.window(server.url, breaks=True), "ann")
    room_of(ann, "attic").click()
    outside = ann.page.locator("#outside")
    outside.get_by_text("You are reading #attic from outside.").wait_for()
    server.kill()
    wait_offline(ann)
    server.start()
    hurry(ann)
    outside.get_by_text("There is no room #attic here, or not any more.").wait_for()
    until("the place", lambda: place_of(ann), ["attic", "room", False, "#attic"])
    outside.get_by_role("button", name="Make it").click()
    write(ann, "here again")
    see(ann, "here again")


@scenario
def why_there_is_no_connection_is_said(stage):
    server = stage.server()
    relay = stage.relay(server)
    ann = enter(stage.window(relay.url, breaks=True), "ann")
    page, bar = ann.page, ann.page.locator("#bar")
    # Somebody else has the name when she comes back: not before, since the wire is cut.
    relay.cut()
    wait_offline(ann)
    server.kill()
    server.start()
    other = stage.lines(server)
    other.act("join", {"room": "general", "name": "ann"})
    relay.mend()
    hurry(ann)
    bar.get_by_text("Offline: the name 'ann' is taken. Trying again").wait_for()
    audit(ann, "a name that is taken")
    other.close()
    until("who is here", lambda: stage.lines(server).state("/users/ann/online"), False)
    hurry(ann)
    bar.wait_for(state="hidden")
    # Another one has become this client, which is for good.
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    session = page.evaluate("sessionStorage.getItem('rex.session')")
    stage.lines(server).ask({"op": "hello", "protocol": 1, "session": session})
    bar.get_by_text("Disconnected: ").wait_for()
    assert bar.get_by_role("button", name="Try now").count() == 0
    bar.get_by_role("button", name="Reload").click()
    page.locator("#me[data-status=online]").wait_for(state="attached")
    write(ann, "back")
    see(ann, "back")


@scenario
def any_name_is_only_a_name(stage):
    """Names that mean something to the language, to the page or in an address."""
    server = stage.server()
    rooms = [":x", "__proto__", "a/b~c%", "constructor", "hasOwnProperty", "<b"]
    terminal = stage.lines(server)
    for room in rooms:
        terminal.act("join", {"room": room, "name": "toString"})
    ann = enter(stage.window(server.url), "constructor", "__proto__")
    links = ann.page.locator(".room-link")
    until("the rooms", lambda: sorted(links.locator("b").all_inner_texts()), sorted(rooms))
    mine = "() => [...document.querySelectorAll('#rooms > *')].map((each) => each.className)"
    until("which are mine", lambda: ann.page.evaluate(mine), ["", "section"] + [""] * 5)
    until("what is unread", lambda: "".join(links.locator(".badge:visible").all_inner_texts()), "")
    for room in rooms:
        room_of(ann, room).click()
        until("the name", lambda: ann.page.locator("#room-name").inner_text(), room)
        if room != "__proto__":
            ann.page.locator("#outside button").click()
        write(ann, f"@valueOf in {room}")
        see(ann, f"@valueOf in {room}")
        assert not ann.page.locator("#messages mark").count()
    ann.page.reload()
    see(ann, "@valueOf in <b")


@scenario
def an_address_that_is_none_and_no_memory_do_no_harm(stage):
    server = stage.server()
    for path, place in [("/#%zz", "#door"), ("/inspector#%zz", "#status")]:
        window = stage.window(server.url + path)
        window.page.locator(place).wait_for()
    until("the store", lambda: window.page.locator("#store").input_value(), "chat")
    for index, setup in enumerate(
        [
            "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window,"
            " name, { get() { throw new DOMException('', 'SecurityError'); } });",
            "sessionStorage.setItem('rex.chat', '{');",
            "sessionStorage.setItem('rex.chat', '{\"me\": \"x\", \"rooms\": 7}');",
            "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError') };",
        ]
    ):
        window = stage.window("about:blank")
        window.context.add_init_script(setup)
        window.page.goto(server.url)
        enter(window, f"ann{index}", f"room{index}")
        write(window, "hello")
        see(window, "hello")


@scenario
def a_reload_is_the_same_person(stage):
    server = stage.server()
    ann = enter(stage.window(server.url), "ann")
    write(ann, "hello")
    see(ann, "hello")
    ann.page.reload()
    see(ann, "hello")
    write(ann, "again")
    see(ann, "hello", "again")
    # What makes it that client is not where a copy of the window would find it.
    assert not ann.page.evaluate("sessionStorage.getItem('rex.session')")
    # A name that is taken is refused at the door, with the reason.
    other = stage.window(server.url)
    other.page.get_by_label("Your name").fill("ann")
    other.page.get_by_role("button", name="Join").click()
    other.page.get_by_role("alert").filter(has_text="ann").wait_for()
    audit(other, "a door that stays closed")


@scenario
def everything_is_done_by_keyboard(stage):
    server = stage.server()
    window = stage.window(server.url)
    terminal = stage.lines(server)
    page, keys = window.page, window.page.keyboard
    focused = lambda: page.evaluate(
        "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
        " || document.activeElement.name"
    )
    page.get_by_label("Your name").wait_for()
    keys.type("ann")  # the door has the focus
    keys.press("Enter")
    until("the screens", lambda: terminal.state("/users/ann/online"), True)
    page.get_by_label("Message", exact=True).wait_for()
    until("the focus", lambda: page.evaluate("document.activeElement.id"), "text")
    keys.type("first")
    keys.press("Shift+Enter")
    keys.type("line")
    keys.press("Enter")
    see(window, "first\nline")
    keys.type("second")
    keys.press("Enter")
    see(window, "first\nline", "second")
    # Back to the messages, up to the first one, and on to its buttons.
    keys.press("Shift+Tab")
    while page.evaluate("!document.activeElement.closest('.message')"):
        keys.press("Shift+Tab")
    page.evaluate("document.activeElement.closest('.message').focus()")
    keys.press("ArrowUp")
    until("the focus", lambda: page.evaluate("document.activeElement.innerText.includes('first')"))
    keys.press("Tab")
    assert focused() == "Edit", focused()
    keys.press("Tab")
    assert focused() == "Delete", focused()
    keys.press("Enter")
    keys.press("Enter")
    see(window, "second")
    # Who removes one goes on at the next, and with the last one back to writing.
    until("the focus", lambda: page.evaluate("document.activeElement.innerText.includes('second')"))
    assert page.evaluate("document.activeElement.matches('.message')")
    terminal.act("join", {"room": "general", "name": "tim"})
    terminal.act("send", {"room": "general", "text": "third"})
    see(window, "second", "third")
    assert page.evaluate("document.activeElement.matches('.message')"), "others do not take it"
    keys.press("Tab")
    keys.press("Tab")
    keys.press("Enter")
    keys.press("Enter")
    see(window, "third")
    until("the focus", lambda: page.evaluate("document.activeElement.innerText.includes('third')"))
    terminal.act("clear", {"room": "general"})
    see(window)
    until("the focus", lambda: page.evaluate("document.activeElement.id"), "text")
    # People: open, mention, close.
    page.locator("#people-button").focus()
    keys.press("Enter")
    page.get_by_role("heading", name="People").wait_for()
    until("the focus", focused, "People: 2")
    page.locator("#people-close").focus()
    keys.press("Escape")
    page.get_by_role("heading", name="People").wait_for(state="hidden")
    until("the focus", focused, "People: 2")
    # The topic.
    page.locator("#topic").focus()
    keys.press("Enter")
    keys.type("All about keys")
    keys.press("Enter")
    until("the topic", lambda: terminal.state("/rooms/general/topic"), "All about keys")
    # The server knows it before the page does.
    until("the focus", focused, "All about keys")
    # Rooms: every control can be reached by Tab, and has a name.
    seen = set()
    for _ in range(30):
        keys.press("Tab")
        name = page.evaluate("""() => {
          const it = document.activeElement;
          return it === document.body ? "" : it.getAttribute("aria-label")
            || it.labels?.[0]?.textContent || it.title || it.textContent
            || "NAMELESS " + it.outerHTML.slice(0, 80); }""")
        if name.startswith("NAMELESS"):
            raise Failure(name)
        seen.add(name.strip())
    for wanted in ("general", "New room", "Make the room", "Message", "People: 2"):
        assert any(wanted in name for name in seen), (wanted, seen)


@scenario
def the_focus_goes_with_what_moves(stage):
    server = stage.server()
    ann = enter(stage.window(server.url), "ann")
    terminal = stage.lines(server)
    page, keys = ann.page, ann.page.keyboard
    terminal.act("join", {"room": "general", "name": "tim"})
    for room in ("garden", "attic"):
        page.get_by_label("New room").fill(room)
        page.get_by_label("New room").press("Enter")
        page.locator("#room-name", has_text=room).wait_for()
    order = lambda: page.locator(".room-link b").all_inner_texts()
    focused = lambda: page.evaluate("document.activeElement.querySelector('b')?.textContent")
    until("the rooms", order, ["attic", "garden", "general"])
    room_of(ann, "general").focus()
    terminal.act("send", {"room": "general", "text": "now the first"})
    until("the rooms", order, ["general", "attic", "garden"])
    assert focused() == "general", focused()
    # Who leaves by keyboard is at the rooms, and who joins again can write.
    keys.press("Enter")
    until("the focus", lambda: page.evaluate("document.activeElement.id"), "text")
    page.locator("#people-button").focus()
    keys.press("Enter")
    page.get_by_role("heading", name="People").wait_for()
    page.locator("#leave").focus()
    keys.press("Enter")
    page.locator("#people").wait_for(state="hidden")
    until("the focus", lambda: focused() in order())
    # What is covered cannot be reached.
    page.locator("#nothing").wait_for()
    for _ in range(12):
        keys.press("Tab")
        assert page.evaluate("!document.activeElement.closest('#room')")
    room_of(ann, "general").focus()
    keys.press("Enter")
    page.locator("#outside").get_by_role("button", name="Join").wait_for()
    until("the focus", lambda: page.evaluate("document.activeElement.textContent"), "Join")
    keys.press("Enter")
    until("the focus", lambda: page.evaluate("document.activeElement.id"), "text")


@scenario
def a_server_without_a_chat_says_so(stage):
    server = stage.server("--stores", "counter")
    window = stage.window(server.url)
    window.page.get_by_role("status").filter(has_text="No chat is hosted here").wait_for()


@scenario
def the_same_over_tls(stage):
    folder = ROOT / "Tests/RexTLSTests/Certificates"
    server = stage.server("--tls-cert", folder / "server.pem", "--tls-key", folder / "server.key")
    safe = server.url.replace("http:", "https:")
    ann = enter(stage.window(safe), "ann")
    bob = enter(stage.window(server.url), "bob")  # on the same port, without
    write(ann, "hello")
    see(bob, "hello")
    write(bob, "hi")
    see(ann, "hello", "hi")
    inspector = stage.window(safe + "/inspector#chat")
    inspector.page.locator("#commits .commit-row", has_text="send").first.wait_for()
