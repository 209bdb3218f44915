// The door (name and room), and the list of rooms.
import { avatar, h, hueOf, keyed, setText, timeText } from "/dom.js";

const byID = (id) => document.getElementById(id);

/** The form that a person comes in by. `app.enter(name, room)` rejects with what was wrong. */
export function makeDoor(app) {
  const place = byID("door");
  const form = place.querySelector("form");
  const { name, room } = form.elements;
  const problem = form.querySelector(".problem");
  const button = form.querySelector("button");
  name.value = localStorage.getItem("rex.name") ?? "";
  room.value = app.room ?? "general";

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    try {
      await app.enter(name.value.trim(), room.value.trim());
    } catch (error) {
      problem.textContent = error.message;
      name.focus();
    }
    button.disabled = false;
  });

  let wasOpen = false;
  return function render(isOpen) {
    place.hidden = !isOpen;
    if (isOpen && !wasOpen) {
      problem.textContent = app.problem ?? "";
      setText(byID("door-title"), app.me ? "You are not here" : "Come in");
      setText(byID("door-lead"), app.me
        ? "The store was taken to a moment in which you are in no room."
        : "Pick a name and a room. Everybody in it sees what you say at once.");
      if (app.me) name.value = app.me;
      (name.value ? button : name).focus();
    }
    wasOpen = isOpen;
    if (!isOpen || !app.state) return;
    keyed(byID("door-rooms"), Object.keys(app.state.rooms).sort(), (room) => room,
      (room) => h("option", { value: room }));
    const here = Object.entries(app.state.users).filter(([, user]) => user.online)
      .map(([name]) => name).sort();
    const words = here.length === 1 ? `${here[0]} is here` : `${here.length} people are here`;
    byID("door-here").replaceChildren(...(here.length ? [faces(here), words] : []));
  };
}

/** A few faces beside each other. */
export const faces = (names) =>
  h("span", { class: "faces" }, names.slice(0, 4).map((name) => avatar(name, "small")));

/** The list of rooms, the form for a new one, and who I am. */
export function makeRoomList(app) {
  const list = byID("rooms");
  const form = byID("new-room");
  const input = form.elements.room;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const room = input.value.trim().replace(/\s+/g, "-");
    if (!room) return;
    input.setCustomValidity("");
    try {
      await app.join(room);
      input.value = "";
      app.openRoom(room);
    } catch (error) {
      input.setCustomValidity(error.message);
      input.reportValidity();
    }
  });
  input.addEventListener("input", () => input.setCustomValidity(""));

  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const links = [...list.querySelectorAll(".room-link")];
    links[links.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
  });

  function make([key]) {
    if (key.startsWith(":")) return h("li", { class: "section" }, key.slice(1));
    const button = h("button", { type: "button", class: "room-link",
      onclick: () => app.openRoom(key) },
      h("span", { class: "sign", "aria-hidden": "true" }, [...key][0].toUpperCase()),
      h("b", {}, key), h("time"), h("span", { class: "preview" }),
      h("span", { class: "badge" }));
    button.querySelector(".sign").style.setProperty("--hue", hueOf(key));
    return h("li", {}, button);
  }

  function update(element, [key, room]) {
    if (!room) return;
    const [button] = element.children;
    const [, , time, preview, badge] = button.children;
    const last = room.messages.at(-1);
    const unread = app.user?.unread[key] ?? 0;
    const writing = room.typing.filter((name) => name !== app.me);
    setText(time, last ? timeText(last.at) : "");
    setText(preview, previewOf(app, key, room, last, writing));
    preview.classList.toggle("writing", writing.length > 0 && key in (app.user?.unread ?? {}));
    badge.hidden = !unread;
    setText(badge, unread > 99 ? "99+" : String(unread));
    button.classList.toggle("unread", unread > 0);
    button.setAttribute("aria-current", String(key === app.room && app.screen !== "rooms"));
    button.setAttribute("aria-label", unread ? `${key}, ${unread} unread` : key);
  }

  return function render() {
    const entries = Object.entries(app.state.rooms);
    const isMine = ([room]) => room in (app.user?.unread ?? {});
    const time = ([, room]) => room.messages.at(-1)?.at ?? "";
    const order = (a, b) => (time(a) < time(b) ? 1 : time(a) > time(b) ? -1 : a[0] < b[0] ? -1 : 1);
    const mine = entries.filter(isMine).sort(order);
    const others = entries.filter((entry) => !isMine(entry)).sort(order);
    const more = others.length ? [[":Other rooms"], ...others] : [];
    keyed(list, [...mine, ...more], ([key]) => key, make, update);
    renderMe(app);
  };
}

function previewOf(app, key, room, last, writing) {
  const count = room.members.length;
  if (!(key in (app.user?.unread ?? {}))) return count === 1 ? "1 person" : `${count} people`;
  if (writing.length) return writing.length === 1 ? `${writing[0]} is typing…` : "typing…";
  if (!last) return room.topic || "Nothing said yet";
  return `${last.from === app.me ? "You" : last.from}: ${last.text}`;
}

const WORDS = { online: "Connected", connecting: "Connecting…", offline: "Offline",
  closed: "Disconnected" };

function renderMe(app) {
  const footer = byID("me");
  footer.dataset.status = app.status;
  if (footer.name !== app.me) {
    footer.name = app.me;
    footer.replaceChildren(avatar(app.me), h("div", {}, h("b", {}, app.me), h("small")));
  }
  setText(footer.querySelector("small"), WORDS[app.status]);
}
