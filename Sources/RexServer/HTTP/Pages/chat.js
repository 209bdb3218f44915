// The chat page: one connection, one copy of the chat's state, and what a person can do with it.
import { connect } from "/rex.js";
import { keepFocus, memory, nameInAddress, onceAFrame, own, setText, token } from "/dom.js";
import { askWhoItIs, keptToken } from "/token.js";
import { makeComposer, makeHead, makeMessages } from "/chat-room.js";
import { makeDoor, makeRoomList } from "/chat-rooms.js";
import { makeAlerts, makePeople } from "/chat-people.js";
import { makeScreens } from "/chat-screens.js";

const byID = (id) => document.getElementById(id);
/** How often a name that another connection holds is asked for: it may be our own old one, of which
 * the server does not know yet that it has gone. */
const NAME_TRIES = 6;
const NAME_PAUSE = 300;
/** How long a problem is said. */
const PROBLEM_TIME = 6_000;

// Who a window is lives as long as the window: a reload is the same person, a new window another.
const kept = readKept();
const keep = () => memory("sessionStorage", "rex.chat",
  JSON.stringify({ me: app.me, rooms: [...app.rooms], room: app.room }));

function readKept() {
  try {
    const { me, rooms, room } = JSON.parse(memory("sessionStorage", "rex.chat"));
    return { me, rooms: [...rooms], room };
  } catch {
    return null; // nothing, or what another version has left
  }
}

function takeSession() {
  const session = memory("sessionStorage", "rex.session");
  memory("sessionStorage", "rex.session", "");
  return session || undefined;
}

const app = {
  me: kept?.me ?? null,
  rooms: new Set(kept?.rooms), // to be joined again on a new connection
  room: nameInAddress() || kept?.room || null,
  state: null,
  status: "connecting",
  wantsFocus: false, // the composer, or the way in, once it is to be seen
  wantsMessage: null, // the id of one that is to be brought into sight
  pending: [], // messages on their way: { key, room, text, problem }
  problem: null,

  /** My entry in the state, if it is this connection's. */
  get user() {
    const user = own(this.state?.users, this.me);
    return user && user.client === connection.welcome?.client ? user : null;
  },
  /** How much I have not seen in a room; undefined where I am not in it. */
  unread(room) {
    return own(this.user?.unread, room);
  },
  get isMember() {
    return this.unread(this.room) !== undefined;
  },
  get screen() {
    return screens.screen();
  },

  act(type, payload) {
    return store.dispatch({ type, payload }).catch((error) => {
      if (error.code !== "closed") showProblem(error.message);
    });
  },

  async enter(name, room) {
    room = room.replace(/^#/, "").replace(/\s+/g, "-");
    await store.dispatch({ type: "join", payload: { room, name } });
    Object.assign(app, { me: name, room, client: connection.welcome.client, problem: null });
    app.rooms.add(room);
    memory("localStorage", "rex.name", name);
    keep();
    app.openRoom(room);
  },

  async join(room) {
    await store.dispatch({ type: "join", payload: { room, name: app.me } });
    app.rooms.add(room);
    keep();
    render();
  },

  async leave() {
    const { room } = app;
    app.rooms.delete(room);
    keep();
    screens.open("rooms");
    await app.act("leave", { room });
  },

  openRoom(room, message = null) {
    app.room = room;
    app.wantsMessage = message;
    keep();
    keepAddress();
    screens.open("room");
    // A finger would only bring up the keyboard over what is to be read.
    app.wantsFocus = matchMedia("(hover: hover)").matches;
    render();
  },

  send(text) {
    const entry = { key: crypto.randomUUID?.() ?? String(Math.random()), room: app.room, text };
    app.pending.push(entry);
    app.resend(entry);
  },

  async resend(entry) {
    entry.problem = undefined;
    render();
    try {
      const { room, text } = entry;
      await store.dispatch({ type: "send", payload: { room, text } });
      app.discard(entry);
    } catch (error) {
      entry.problem = error.message;
      render();
    }
  },

  discard(entry) {
    app.pending = app.pending.filter((other) => other !== entry);
    render();
  },

  edit: ({ id }, text) => app.act("edit", { room: app.room, id, text }),
  remove: (id) => app.act("remove", { room: app.room, id }),

  /** That somebody writes is of no interest later. */
  typing() {
    if (app.status === "online") app.act("typing", { room: app.room });
  },

  /** Whether what is said in a room is before the user's eyes. */
  isReading(room) {
    return room === app.room && document.hasFocus() && app.screen !== "rooms" &&
      byID("scroller").checkVisibility() && byID("newer").hidden;
  },

  /** Runs what may take the focus away, which then goes where a person would go on. */
  keepFocus(body) {
    // On a phone the composer would bring up the keyboard.
    const heirs = matchMedia("(hover: hover)").matches
      ? ["#text", "#outside button"] : ["#people-close", "#back"];
    keepFocus(body, (before) => [before.closest("#people") && "#people-button", ...heirs,
      "[aria-current=true]", ".room-link", "#new-room-name"]
      .map((place) => place && document.querySelector(place)));
  },

  /** Everything in the open room has been seen. */
  markRead() {
    const isSeen = app.unread(app.room) > 0 && app.isReading(app.room);
    if (!isSeen || app.isMarking || app.status !== "online") return;
    app.isMarking = true;
    app.act("read", { room: app.room }).finally(() => (app.isMarking = false));
  },
};

const connection = connect({
  name: "chat-page/1", token: keptToken, session: takeSession(), enter: comeBack,
});
askWhoItIs(connection);
// Only while nobody has it: a tab that is copied with its memory is another client.
addEventListener("pagehide", () => memory("sessionStorage", "rex.session",
  connection.welcome?.session ?? ""));
const store = connection.store("chat");
const screens = makeScreens({
  // While we come back it is not yet what it was.
  stored: () => (app.status === "connecting" ? null : app.user?.graph.path),
  dispatch: (step) => store.dispatch({ type: "graph", payload: step }),
  changed: () => render(),
});
app.screens = screens;

/** On each new connection: into the rooms that I was in, before anything that waits is sent. */
async function comeBack(ask, { client }) {
  for (let tries = 1; app.me && app.rooms.size; tries++) {
    try {
      for (const room of app.rooms) {
        const action = { type: "join", payload: { room, name: app.me } };
        await ask("dispatch", { store: "chat", action });
      }
      if (client !== app.client) await restoreScreens(ask);
      app.client = client;
      return;
    } catch (error) {
      if (error.code !== "rejected") throw error;
      if (tries === NAME_TRIES) {
        if (app.hasBeenIn) throw error;
        // A reload in which somebody else took the name.
        Object.assign(app, { me: null, problem: error.message });
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, NAME_PAUSE));
    }
  }
}

/** A client that the server does not know any more, as after a restart, begins with the first
 * screen: back to the one that is open here. */
async function restoreScreens(ask) {
  const path = `/users/${token(app.me)}/graph/path`;
  const { state } = await ask("get", { store: "chat", path });
  for (const screen of screens.known().slice(state?.length ?? 1)) {
    const action = { type: "graph", payload: { type: "push", payload: screen } };
    await ask("dispatch", { store: "chat", action });
  }
}

const composer = makeComposer(app);
const renderers = [makeRoomList(app), makeHead(app), makeMessages(app, composer),
  makePeople(app, composer), makeAlerts(app)];
const renderDoor = makeDoor(app);

const render = onceAFrame(() => app.state && app.keepFocus(draw));

function draw() {
  const { user } = app;
  if (user) app.hasBeenIn = true;
  // Without a connection what was there stays; a traveller may take us to where we are in no room.
  const isOut = !app.me || (app.status === "online" && !user);
  byID("app").hidden = isOut;
  if (!isOut) {
    if (!app.room) app.room = [...app.rooms][0] ?? Object.keys(app.state.rooms)[0] ?? null;
    byID("app").dataset.screen = app.screen;
    screens.sync();
    composer.render();
    for (const renderPart of renderers) renderPart();
    renderPlace();
    const isOutside = byID("composer").hidden;
    if (app.wantsFocus) (isOutside ? byID("outside").lastElementChild : composer).focus();
    app.wantsFocus = false;
    app.markRead();
  }
  renderDoor(isOut);
}

/** What the open room allows, and the title. */
function renderPlace() {
  const isIn = app.isMember || app.status !== "online";
  byID("nothing").hidden = Boolean(app.room) && app.screen !== "rooms";
  byID("composer").hidden = !isIn;
  byID("typing").hidden = !isIn;
  byID("outside").hidden = isIn;
  const isThere = own(app.state.rooms, app.room);
  setText(byID("outside").firstElementChild, isThere ? `You are reading #${app.room} from outside.`
    : `There is no room #${app.room} here, or not any more.`);
  setText(byID("outside").lastElementChild, isThere ? "Join" : "Make it");
  const unread = Object.values(app.user?.unread ?? {}).reduce((sum, count) => sum + count, 0);
  const here = app.unread(app.room) ?? 0;
  document.title = `${unread ? `(${unread}) ` : ""}${app.room ? `#${app.room} · ` : ""}Rex chat`;
  byID("back-badge").hidden = unread === here;
  setText(byID("back-badge"), String(unread - here));
}

byID("outside").lastElementChild.addEventListener("click", () =>
  app.join(app.room).then(() => composer.focus(), (error) => showProblem(error.message)));
byID("back").addEventListener("click", () => screens.back());
byID("people-button").addEventListener("click", () =>
  (app.screen === "members" ? screens.back() : screens.open("members")));
/** The address names the open room, at each entry of the browser's history that is looked at. */
function keepAddress() {
  const address = `#${encodeURIComponent(app.room)}`;
  if (location.hash !== address) history.replaceState(history.state, "", address);
}

window.addEventListener("hashchange", () => {
  // Back and Forward go from screen to screen; the room stays.
  if (history.state && app.room) return keepAddress();
  const room = nameInAddress();
  if (!room || room === app.room) return;
  history.replaceState({ depth: app.screen === "rooms" ? 0 : 1 }, "");
  app.openRoom(room);
});
for (const name of ["focus", "visibilitychange"]) window.addEventListener(name, () => render());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && app.screen === "members" && !event.defaultPrevented) screens.back();
});

// The connection.
const bar = byID("bar");
bar.lastElementChild.addEventListener("click", () =>
  (app.status === "closed" ? location.reload() : connection.retryNow()));
let countdown = null;

connection.onStatus((status, { reason, retryIn }) => {
  app.status = status;
  clearInterval(countdown);
  // The first connection is no news, and one that takes a moment neither.
  if (status === "online") {
    bar.hidden = !app.problemTimer;
    return render();
  }
  if (status !== "connecting") bar.hidden = false;
  bar.dataset.status = status;
  setText(bar.lastElementChild, status === "closed" ? "Reload" : "Try now");
  const why = reason === "no connection" ? "" : `: ${reason}`;
  const until = performance.now() + retryIn;
  const words = () => {
    const seconds = Math.ceil((until - performance.now()) / 1000);
    setText(bar.firstElementChild, status === "connecting" ? "Connecting…"
      : status === "closed" ? `Disconnected: ${reason}`
        : `Offline${why}. Trying again${seconds > 1 ? ` in ${seconds} s` : "…"}`);
  };
  words();
  if (status === "offline") countdown = setInterval(words, 1000);
  render();
});

function showProblem(text) {
  setText(bar.firstElementChild, text);
  bar.dataset.status = "connecting";
  bar.hidden = false;
  clearTimeout(app.problemTimer);
  app.problemTimer = setTimeout(() => {
    app.problemTimer = null;
    bar.hidden = app.status === "online";
  }, PROBLEM_TIME);
}

store.subscribe("", (state, { epoch }) => {
  if (app.epoch && app.epoch !== epoch) {
    showProblem("The server has begun anew. What it did not keep is gone.");
  }
  Object.assign(app, { state, epoch });
  render();
}, {
  failed({ message }) {
    setText(bar.firstElementChild, `No chat is hosted here: ${message}`);
    bar.dataset.status = "connecting";
    bar.hidden = false;
  },
});
