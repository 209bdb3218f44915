// Who is in the room, and alerts.
import { avatar, h, icon, iconButton, keyed, own, setText } from "/dom.js";

const byID = (id) => document.getElementById(id);
/** How long an alert stays; longer while it is pointed at or has the focus. */
const ALERT_TIME = 9_000;
/** An alert of this length ends with "…" where the message goes on. */
const ALERT_LENGTH = 200;

/** The people of the room that is open. Returns `render()`. */
export function makePeople(app, composer) {
  byID("people-close").addEventListener("click", () => app.screens.back());
  byID("leave").addEventListener("click", () => app.leave());
  const clear = byID("clear");
  const calm = () => {
    clear.classList.remove("danger");
    clear.textContent = "Clear all messages";
  };
  clear.addEventListener("click", () => {
    if (clear.classList.contains("danger")) {
      calm();
      return app.act("clear", { room: app.room });
    }
    clear.classList.add("danger");
    clear.textContent = "Really clear for everybody?";
  });
  clear.addEventListener("blur", calm);

  function make(name) {
    return h("li", {}, h("button", { type: "button", class: "person",
      onclick: () => {
        app.screens.back();
        composer.mention(name);
        app.wantsFocus = true; // where it was hidden until now
      } }, avatar(name), h("span", {}, h("b", {}, name), h("small")), icon("at")));
  }

  return function render() {
    const room = own(app.state.rooms, app.room);
    const members = [...(room?.members ?? [])].sort((a, b) => a.localeCompare(b));
    keyed(byID("people-list"), members, (name) => name, make, (element, name) => {
      const words = name === app.me ? "you" : room.typing.includes(name) ? "typing…" : "here";
      setText(element.querySelector("small"), words);
      const button = element.firstElementChild;
      button.setAttribute("aria-label", `Mention ${name} (${words})`);
    });
    for (const id of ["clear", "leave"]) byID(id).hidden = !app.isMember;
  };
}

const isAlertOf = (alert, text) => text === alert ||
  (alert.length >= ALERT_LENGTH && alert.endsWith("…") && text.startsWith(alert.slice(0, -1)));

/** Shows the user's alert (a PresentState: the same text twice counts twice), unless the message is
 * before the user's eyes, where it is marked. Returns `render()`. */
export function makeAlerts(app) {
  let count = null; // of the alerts that have been seen
  const toasts = byID("toasts");
  const close = (toast) => app.keepFocus(() => toast.remove());

  function fade(toast) {
    const end = () => (toast.matches(":hover, :focus-within") ? fade(toast) : close(toast));
    setTimeout(end, ALERT_TIME);
  }

  function show(text) {
    const message = Object.entries(app.state.rooms)
      .map(([room, { messages }]) => [room, messages.findLast((it) => isAlertOf(text, it.text))])
      .filter(([, message]) => message)
      .sort((a, b) => (a[1].at < b[1].at ? 1 : -1))[0];
    const [room, { id, from: by }] = message ?? [null, {}];
    if (app.isReading(room)) return;
    const toast = h("div", { class: "toast" }, icon("at"),
      h("button", { type: "button", class: "open",
        onclick: () => {
          if (room) app.openRoom(room, id);
          close(toast);
        } }, h("b", {}, by ? `${by} in #${room}` : "You were named"), h("p", {}, text)),
      iconButton("close", "Dismiss", () => close(toast)));
    toast.room = room;
    toasts.append(toast);
    fade(toast);
  }

  return function render() {
    for (const toast of [...toasts.children]) if (app.isReading(toast.room)) close(toast);
    const alert = app.user?.alert;
    if (!alert) return void (count = null);
    if (count !== null && alert.count > count && alert.value) show(alert.value);
    count = alert.count;
  };
}
