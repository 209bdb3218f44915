// A room: its messages, what is on its way, and the composer.
import { avatar, dayText, h, icon, iconButton, keyed, own, setText, timeText } from "/dom.js";
import { faces } from "/chat-rooms.js";

const byID = (id) => document.getElementById(id);
/** Messages of one person within this time stand together. */
const TOGETHER = 5 * 60_000;
/** A `typing` lasts three seconds in the store; it is renewed before. */
const TYPING_PAUSE = 2_000;

/** The messages of the room that is open. Returns `render()`. */
export function makeMessages(app, composer) {
  const scroller = byID("scroller");
  const list = byID("messages");
  const newer = byID("newer");
  let shown = {}; // what is on the page: room, messages, pending
  let fresh = null; // the id of the first message that was unread when the room was opened
  let active = null; // the message that Tab comes to

  const isAtEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 60;
  const toEnd = () => (scroller.scrollTop = scroller.scrollHeight);

  scroller.addEventListener("scroll", () => {
    wasAtEnd = isAtEnd();
    if (!wasAtEnd) return;
    newer.hidden = true;
    app.markRead();
  });
  // Who is at the end stays there, also where the window or a message changes its height.
  let wasAtEnd = true;
  const observer = new ResizeObserver(() => wasAtEnd && toEnd());
  for (const element of [scroller, list, byID("pending")]) observer.observe(element);
  newer.addEventListener("click", () => {
    toEnd();
    composer.focus();
  });

  // Up and Down walk through the messages; Tab goes on to the buttons of the one that has focus.
  list.addEventListener("keydown", (event) => {
    const item = event.target.closest(".message");
    if (event.target !== item) return;
    const next = { ArrowUp: item.previousElementSibling, ArrowDown: item.nextElementSibling,
      Home: list.firstElementChild, End: list.lastElementChild }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    next?.focus();
  });
  list.addEventListener("focusin", (event) => activate(event.target.closest(".message")));

  function activate(item) {
    if (!item || item === active) return;
    for (const [element, index] of [[active, -1], [item, 0]]) {
      if (!element) continue;
      element.tabIndex = index;
      for (const button of element.querySelectorAll(".tools button")) button.tabIndex = index;
    }
    active = item;
  }

  function make(message) {
    const isMine = message.from === app.me;
    return h("li", { class: `message${isMine ? " mine" : ""}`, tabIndex: -1 },
      h("div", { class: "top" }),
      isMine ? null : avatar(message.from),
      h("div", { class: "body" },
        h("p", { class: "by" }, h("b", {}, message.from),
          h("time", { datetime: message.at }, timeText(message.at))),
        h("div", { class: "line" }, h("div", { class: "bubble" }),
          isMine ? tools(message.id) : null)));
  }

  function tools(id) {
    const find = () => own(app.state.rooms, app.room)?.messages.find((message) => message.id === id);
    const remove = iconButton("bin", "Delete", () => {
      if (remove.classList.contains("sure")) return app.remove(id);
      remove.classList.add("sure");
      remove.replaceChildren("Delete?");
      remove.addEventListener("blur", () => {
        remove.classList.remove("sure");
        remove.replaceChildren(icon("bin"));
      }, { once: true });
      remove.focus();
    }, { tabIndex: -1 });
    return h("div", { class: "tools" },
      iconButton("edit", "Edit", () => composer.edit(find()), { tabIndex: -1 }), remove);
  }

  function update(element, message, index) {
    const before = shown.next[index - 1];
    const isNewDay = !before || dayText(before.at) !== dayText(message.at);
    const isFirst = isNewDay || before.from !== message.from || message.id === fresh ||
      new Date(message.at) - new Date(before.at) > TOGETHER;
    const look = `${isNewDay} ${isFirst} ${message.id === fresh}`;
    if (element.look !== look) {
      element.look = look;
      element.classList.toggle("first", isFirst);
      const top = element.querySelector(".top");
      top.replaceChildren(
        ...(isNewDay ? [h("div", { class: "day" }, dayText(message.at))] : []),
        ...(message.id === fresh ? [h("div", { class: "fresh" }, "New")] : []));
      top.style.gridColumn = "1 / -1";
    }
    if (element.message === message) return;
    element.message = message;
    const bubble = element.querySelector(".bubble");
    bubble.replaceChildren(...wordsOf(message.text, app.state.users));
    if (message.edited) bubble.append(h("small", {}, "edited"));
    element.classList.toggle("mentions", message.from !== app.me && names(message.text, app.me));
    element.querySelector(".bubble").title = new Date(message.at).toLocaleString();
  }

  function renderPending() {
    const pending = app.pending.filter((entry) => entry.room === app.room);
    keyed(byID("pending"), pending, (entry) => entry.key, (entry) => h("li",
      { class: "message mine first" }, h("div", { class: "body" },
        h("div", { class: "line" }, h("div", { class: "bubble" }, entry.text)),
        h("p", { class: "note" }))),
      (element, entry) => {
        element.classList.toggle("sending", !entry.problem);
        element.classList.toggle("failed", Boolean(entry.problem));
        const words = entry.problem ?? (app.status === "online" ? "" : "Waiting for a connection");
        if (element.words === words) return;
        element.words = words;
        element.querySelector(".note").replaceChildren(words, ...(entry.problem ? [
          h("button", { type: "button", class: "plain", onclick: () => app.resend(entry) },
            "Try again"),
          h("button", { type: "button", class: "plain", onclick: () => app.discard(entry) },
            "Discard")] : []));
      });
  }

  /** Says to a screen reader what came in, not what was there. */
  function say(messages) {
    const said = byID("said");
    for (const { from, text } of messages) said.append(h("p", {}, `${from}: ${text}`));
    while (said.children.length > 20) said.firstChild.remove();
  }

  return function render() {
    const room = own(app.state.rooms, app.room);
    const messages = room?.messages ?? [];
    const isOther = shown.room !== app.room;
    if (isOther) {
      wasAtEnd = true;
      const unread = app.unread(app.room) ?? 0;
      fresh = unread ? messages.at(-unread)?.id : null;
      newer.hidden = true;
    }
    const isSame = !isOther && shown.messages === messages && shown.me === app.me;
    if (!isSame) {
      const known = isOther ? null : new Set(shown.messages.map(({ id }) => id));
      const added = known ? messages.filter(({ id }) => !known.has(id)) : [];
      shown.next = messages;
      // A new day, room or name: what was made for another is of no use.
      if (isOther || shown.me !== app.me) keyed(list, [], String);
      keyed(list, messages, (message) => message.id, make, update);
      const others = added.filter(({ from }) => from !== app.me);
      if (added.length < 20) {
        for (const { id } of added) list.keyedChildren.get(id)?.classList.add("arrived");
      }
      say(others);
      if (!wasAtEnd && others.length) {
        newer.hidden = false;
        setText(newer.lastElementChild, "New messages");
      }
      if (!active?.isConnected) activate(list.lastElementChild);
      const isBare = app.isMember && !messages.length;
      setText(byID("start"), isBare ? "Nothing said here yet. Begin." : "");
    }
    shown = { room: app.room, messages, me: app.me };
    renderPending();
    const sought = list.keyedChildren?.get(app.wantsMessage);
    app.wantsMessage = null;
    if (wasAtEnd) toEnd();
    sought?.scrollIntoView({ block: "center" });
  };
}

/** Whether a text names somebody. */
function names(text, name) {
  return text.split(`@${name}`).slice(1).some((rest) => !/^[\p{L}\p{N}_]/u.test(rest));
}

/** A text as nodes: links and names of people are marked. */
function wordsOf(text, users) {
  return text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]]|@[\p{L}\p{N}_-]+)/u).map((part, index) => {
    if (index % 2 === 0) return part;
    if (part.startsWith("@")) return own(users, part.slice(1)) ? h("mark", {}, part) : part;
    return h("a", { href: part, target: "_blank", rel: "noopener noreferrer" }, part);
  });
}

/** The head of the room: name, topic, who is here; and who is typing. Returns `render()`. */
export function makeHead(app) {
  const form = byID("topic-form");
  const topic = byID("topic");
  const input = byID("topic-text");
  const close = () => {
    form.hidden = true;
    topic.hidden = false;
  };
  topic.addEventListener("click", () => {
    input.value = own(app.state.rooms, app.room)?.topic ?? "";
    topic.hidden = true;
    form.hidden = false;
    input.select();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    app.act("setTopic", { room: app.room, topic: input.value.trim() });
    close();
    topic.focus();
  });
  input.addEventListener("keydown", (event) => event.key === "Escape" && (close(), topic.focus()));
  input.addEventListener("blur", close);

  let members = null;
  return function render() {
    const room = own(app.state.rooms, app.room);
    setText(byID("room-name"), app.room ?? "");
    setText(topic, room?.topic || (app.isMember ? "Add a topic" : ""));
    topic.disabled = !app.isMember;
    const button = byID("people-button");
    if (members !== room?.members) {
      members = room?.members ?? [];
      const count = members.length;
      button.replaceChildren(faces(members), icon("people"), String(count));
      button.setAttribute("aria-label", `People: ${count}`);
    }
    button.setAttribute("aria-expanded", String(app.screen === "members"));
    const writing = (room?.typing ?? []).filter((name) => name !== app.me);
    const words = writing.length === 0 ? "" : writing.length === 1 ? `${writing[0]} is typing`
      : writing.length === 2 ? `${writing[0]} and ${writing[1]} are typing` : "Several people are typing";
    const typing = byID("typing");
    if (typing.words !== words) {
      typing.words = words;
      const dots = h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
      typing.replaceChildren(...(words ? [dots, words] : []));
    }
  };
}

/** Where messages are written and edited. */
export function makeComposer(app) {
  const form = byID("composer");
  const text = byID("text");
  const send = byID("send");
  const bar = byID("editing");
  const drafts = new Map();
  let room = null;
  let edited = null; // the message that is being edited
  let lastTyping = -Infinity;

  const changed = () => (send.disabled = !text.value.trim());

  function finish() {
    const value = text.value.trim();
    if (!value) return;
    if (edited) app.edit(edited, value);
    else app.send(value);
    stopEditing();
    lastTyping = -Infinity;
  }

  function stopEditing() {
    edited = null;
    bar.hidden = true;
    text.value = "";
    changed();
  }

  const composer = {
    focus: () => text.focus(),
    edit(message) {
      if (!message) return;
      edited = message;
      bar.hidden = false;
      text.value = message.text;
      changed();
      text.focus();
    },
    mention(name) {
      text.setRangeText(`@${name} `, text.selectionStart, text.selectionEnd, "end");
      changed();
      text.focus();
    },
    /** Another room is open: its own draft. */
    render() {
      if (room === app.room) return;
      if (room && !edited) drafts.set(room, text.value);
      room = app.room;
      stopEditing();
      text.value = drafts.get(room) ?? "";
      text.placeholder = `Message #${room}`;
      changed();
    },
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    finish();
  });
  bar.lastElementChild.addEventListener("click", () => (stopEditing(), text.focus()));
  text.addEventListener("input", () => {
    changed();
    const now = performance.now();
    if (edited || !text.value.trim() || now - lastTyping < TYPING_PAUSE) return;
    lastTyping = now;
    app.typing();
  });
  text.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      finish();
    } else if (event.key === "Escape" && edited) {
      stopEditing();
    } else if (event.key === "ArrowUp" && !text.value) {
      const mine = own(app.state.rooms, app.room)?.messages.findLast(({ from }) => from === app.me);
      if (mine) event.preventDefault();
      composer.edit(mine);
    }
  });
  changed();
  return composer;
}
