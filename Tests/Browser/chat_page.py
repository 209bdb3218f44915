"""What a person does on the chat page, and what they see of it."""

from harness import until


def enter(window, name, room="general"):
    page = window.page
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Room", exact=True).fill(room)
    page.get_by_role("button", name="Join").click()
    page.get_by_label(f"Message", exact=True).wait_for()
    return window


def write(window, text):
    box = window.page.get_by_label("Message", exact=True)
    box.fill(text)
    box.press("Enter")


def texts(window):
    """What the open room shows, without what is still on its way."""
    return window.page.locator("#messages .bubble").evaluate_all(
        """all => all.map((each) => [...each.childNodes].filter((node) => node.nodeName !== "SMALL")
          .map((node) => node.textContent).join(""))"""
    )


def on_their_way(window):
    return window.page.locator("#pending .bubble").all_inner_texts()


def room_of(window, name):
    return window.page.locator(".room-link", has=window.page.get_by_text(name, exact=True))


def see(window, *wanted):
    until("the messages", lambda: texts(window), list(wanted))


def people_in(window):
    """How many are in the open room, as the page says."""
    return window.page.locator("#people-button").inner_text().split("\n")[-1].strip()


def hurry(window):
    """Tells the page, as the browser does, that there is a network again."""
    window.page.evaluate("window.dispatchEvent(new Event('online'))")


def wait_offline(window):
    window.page.locator("#me[data-status=offline]").wait_for(state="attached")
