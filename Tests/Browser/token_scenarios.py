"""The pages on a server that asks who somebody is."""

import hashlib
import json

from chat_page import enter
from harness import Failure, scenario

OWNER = {
    "admin": True,
    "stores": {"*": {"dispatch": ["*"], "read": [""]}},
    "publish": [">"],
    "listen": [">", "$presence.>"],
}


def server_that_asks(stage):
    digest = hashlib.sha256(b"ann-token").hexdigest()
    users = [{"name": "ann", "sha256": digest, "may": OWNER}]
    return stage.server("--token-file", stage.scratch("tokens.json", json.dumps({"users": users})))


def come(stage, url):
    """A window whose person mistypes the token once."""
    window = stage.window("about:blank")
    window.asked = []

    def answer(dialog):
        window.asked.append(dialog.message)
        dialog.accept("wrong" if len(window.asked) == 1 else " ann-token ")

    window.page.on("dialog", answer)
    window.page.goto(url)
    return window


def check(window):
    if len(window.asked) != 2 or "token" not in window.asked[0]:
        raise Failure(f"asked {window.asked}")
    if "token" in window.page.url:
        raise Failure(f"the token stands in {window.page.url}")


@scenario
def the_chat_asks_for_a_token_until_it_is_good(stage):
    window = come(stage, server_that_asks(stage).url)
    enter(window, "ann")
    check(window)
    # It stays with the tab.
    window.page.reload()
    window.page.get_by_label("Message", exact=True).wait_for()
    check(window)


@scenario
def the_inspector_asks_for_a_token_until_it_is_good(stage):
    window = come(stage, f"{server_that_asks(stage).url}/inspector#doc")
    window.page.locator("#status[data-status=online]").wait_for()
    check(window)
