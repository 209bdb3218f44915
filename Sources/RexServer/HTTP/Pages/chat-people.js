// Who is in the room, and alerts.
import { avatar, h, icon, iconButton, keyed, setText } from "/dom.js";

const byID = (id) => document.getElementById(id);
/** How long an alert stays, and one of a message that is in sight anyway. */
const ALERT_TIME = 9_000;
const SHORT_ALERT_TIME = 4_000;

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
      } }, avatar(name), h("span", {}, h("b", {}, name), h("small")), icon("at")));
  }

  return function render() {
    const room = app.state.rooms[app.room];
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

/** Shows the user's alert (a PresentState: the same text twice counts twice). Returns `render()`. */
export function makeAlerts(app) {
  let count = null; // of the alerts that have been seen

  function show(text) {
    const message = Object.entries(app.state.rooms)
      .map(([room, { messages }]) => [room, messages.findLast((message) => message.text === text)])
      .filter(([, message]) => message)
      .sort((a, b) => (a[1].at < b[1].at ? 1 : -1))[0];
    const [room, by] = message ? [message[0], message[1].from] : [null, null];
    const close = () => toast.remove();
    const toast = h("div", { class: "toast" }, icon("at"),
      h("button", { type: "button", class: "open",
        onclick: () => {
          close();
          if (room) app.openRoom(room);
        } }, h("b", {}, by ? `${by} in #${room}` : "You were named"), h("p", {}, text)),
      iconButton("close", "Dismiss", close));
    byID("toasts").append(toast);
    const isInSight = room === app.room && app.screen === "room" && document.hasFocus();
    setTimeout(close, isInSight ? SHORT_ALERT_TIME : ALERT_TIME);
  }

  return function render() {
    const alert = app.user?.alert;
    if (!alert) return void (count = null);
    if (count !== null && alert.count > count && alert.value) show(alert.value);
    count = alert.count;
  };
}
