// The inspector: what a store's commits did, and its state at each of them. Looking at another
// revision happens here alone; undo, redo and jump are commits that everybody sees.
import { connect } from "/rex.js";
import { h, hueOf, keepFocus, keyed, nameInAddress, onceAFrame, setText } from "/dom.js";
import { knownTypes, makeDispatch, makeLists, makeTabs, makeTopics } from "/inspector-side.js";
import { senderOf, Timeline, touches, typeOf } from "/inspector-timeline.js";
import { makeTree, preview } from "/inspector-tree.js";
import { askWhoItIs, keptToken } from "/token.js";
import { makeVirtualList } from "/virtual-list.js";

const byID = (id) => document.getElementById(id);
/** How long a notice stays: so long, and for each of its letters. */
const NOTICE_TIME = 4_000;
const LETTER_TIME = 60;
/** A commit that changes nothing sends no patch; it is found by asking. */
const REFRESH = 1_000;

const connection = connect({ name: "inspector/1", token: keptToken });
askWhoItIs(connection);
const app = {
  connection,
  store: null,
  /** Reports what a request was refused for. */
  attempt: (promise) => promise.catch((error) => app.notice(error.message)),
  notice(text) {
    const notice = byID("notice");
    setText(notice, text);
    notice.hidden = false;
    clearTimeout(app.timer);
    app.timer = setTimeout(() => (notice.hidden = true), NOTICE_TIME + LETTER_TIME * text.length);
  },
};

let timeline = null;
let stop = () => {};
let epoch = null;
let position = null; // the revision that is looked at; null: the newest
let shown = []; // the commits that the filters let through
let filter = { type: "", path: "", from: 0 };
let types = [];

const commits = makeVirtualList(byID("commits"), {
  rowHeight: 30,
  role: "option",
  make: () => h("div", { class: "commit-row" }, h("span"), h("time"), h("span", { class: "type" }),
    h("span", { class: "payload" }), h("span", { class: "from" }), h("span", { class: "bytes" })),
  fill(row, entry) {
    const [rev, time, type, payload, from, bytes] = row.children;
    if (row.entry !== entry) {
      row.entry = entry;
      setText(rev, String(entry.rev));
      setText(time, new Date(entry.at).toLocaleTimeString([], { hour12: false }));
      setText(type, typeOf(entry));
      type.style.setProperty("--hue", hueOf(typeOf(entry)));
      setText(payload, entry.travel ? `to ${entry.travel.to}` : preview(entry.action?.payload));
      setText(from, senderOf(entry));
      setText(bytes, String(entry.bytes));
    }
    row.classList.toggle("ahead", position !== null && entry.rev > position);
  },
  choose: (index) => look(shown[index].rev),
});
commits.follows = true;
const tree = makeTree(byID("tree"), { blame: filterByPath });
const lists = makeLists(app);
const dispatch = makeDispatch(app);
makeTabs(lists.open);
makeTopics(app);

/** Begins with a store from its history. */
function open(name) {
  stop();
  timeline?.stop();
  app.store = connection.store(name);
  timeline = new Timeline(app.store);
  [epoch, position, shown] = [null, null, []];
  setFilter({ type: "", path: "" });
  dispatch.reset();
  types = [];
  const mine = timeline;
  knownTypes(app.store).then((known) => mine === timeline && (types = known, render()));
  stop = app.store.subscribe("", (_, change) => {
    // After a restart without a memory nothing goes on from what is here.
    if (epoch && change.epoch !== epoch) return open(name);
    epoch = change.epoch;
    load();
  });
  byID("store").value = name;
  document.title = `${name} · Rex inspector`;
  lists.refresh();
  render();
}

/** Opens the store that the address names. Where there is none, it says so and what it shows. */
function openNamed(wanted) {
  const names = connection.welcome?.stores.map((store) => store.name) ?? [];
  if (!names.length) return app.notice("No store is hosted here.");
  const name = [wanted, app.store?.name, names[0]].find((name) => names.includes(name));
  if (wanted && name !== wanted) {
    const all = names.join(", ");
    app.notice(`There is no store “${wanted}” here. This is ${name}; there are ${all}.`);
  }
  if (name !== wanted) history.replaceState(null, "", addressOf(name));
  if (name !== app.store?.name) open(name);
}

const addressOf = (name) => `#${encodeURIComponent(name)}`;
// A name that cannot be read is none that is here.
const named = () => nameInAddress() || location.hash.slice(1);

function load() {
  const mine = timeline;
  mine.load(render).catch((error) => mine === timeline && app.notice(error.message));
}

setInterval(() => {
  if (!document.hidden && connection.status === "online" && epoch) load();
}, REFRESH);

// Looking.

/** Looks at a revision; null is the newest, whatever comes. */
function look(rev) {
  position = rev === null ? null
    : Math.min(timeline.lastRevision, Math.max(timeline.firstRevision, rev));
  render();
  if (position !== null) commits.reveal(shown.findLastIndex((entry) => entry.rev <= position));
}

const revision = () => position ?? timeline.lastRevision;

byID("range").addEventListener("input", (event) => look(Number(event.target.value)));
byID("prev").addEventListener("click", () => look(revision() - 1));
byID("next").addEventListener("click", () => look(revision() + 1));
byID("live").addEventListener("click", () => look(position === null ? revision() : null));

// Travelling, and whatever else is meant for the store as it is on the screen: without a connection
// nothing is sent, also not later.
document.addEventListener("click", (event) => {
  if (connection.status === "online" || !event.target.closest("[data-live]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  app.notice("There is no connection: nothing was sent.");
}, true);

for (const op of ["undo", "redo"]) {
  byID(op).addEventListener("click", () => app.attempt(app.store.request(op)));
}
byID("jump").addEventListener("click", () =>
  app.attempt(app.store.request("jump", { rev: revision() }).then(() => look(null))));

// Filters.

function setFilter(change) {
  filter = { ...filter, ...change, from: 0 };
  shown = [];
  const field = byID("by-path");
  if (pointerOf(field.value) !== filter.path) field.value = filter.path;
  byID("by-type").value = filter.type;
}
/** What somebody means who writes a place without its slash. */
function pointerOf(text) {
  const path = text.trim();
  return path && !path.startsWith("/") ? `/${path}` : path;
}
function filterByPath(text) {
  setFilter({ path: pointerOf(text) });
  render();
}
byID("by-type").addEventListener("change", (event) => {
  setFilter({ type: event.target.value });
  render();
});
byID("by-path").addEventListener("input", (event) => filterByPath(event.target.value));
// An entry of the browser's history, so that Back is the store before.
byID("store").addEventListener("change", ({ target }) => (location.hash = addressOf(target.value)));
window.addEventListener("hashchange", () => connection.welcome && openNamed(named()));

/** Takes the commits that are new; those before stay as they were. */
function sift() {
  const { entries } = timeline;
  if (!filter.type && !filter.path) return void (shown = entries);
  const isWanted = (entry) => (!filter.type || typeOf(entry) === filter.type) &&
    (!filter.path || touches(entry.patch, filter.path));
  if (shown.length && shown[0].rev <= timeline.firstRevision) [shown, filter.from] = [[], 0];
  for (let index = Math.max(0, filter.from - timeline.firstRevision); index < entries.length; index++) {
    if (isWanted(entries[index])) shown.push(entries[index]);
  }
  filter.from = timeline.lastRevision;
}

// Showing.

const render = onceAFrame(() => timeline && keepFocus(draw, (before) =>
  [before.closest(".scrub") && byID("range"), byID("commits")]));

function draw() {
  sift();
  const rev = revision();
  const { entries, firstRevision, lastRevision } = timeline;
  const chosen = position === null ? -1 : shown.findLastIndex((entry) => entry.rev === position);
  commits.show(shown, chosen);
  const isAll = shown.length === entries.length;
  setText(byID("count"), isAll ? `${entries.length}` : `${shown.length} of ${entries.length}`);

  const range = byID("range");
  Object.assign(range, { min: firstRevision, max: lastRevision, value: rev });
  setText(byID("where"), position === null ? `revision ${rev}` : `${rev} of ${lastRevision}`);
  document.body.classList.toggle("past", position !== null);
  byID("live").setAttribute("aria-pressed", position === null);
  byID("prev").disabled = rev <= firstRevision;
  byID("next").disabled = rev >= lastRevision;
  byID("jump").disabled = position === null;

  const entry = timeline.entryAt(rev);
  tree.show(timeline.stateAt(rev), entry?.patch);
  setText(byID("state-sub"), `at revision ${rev}`);
  renderDetail(entry);
  renderNone(entries);
  renderTypes();
  renderStatus();
}

/** Why the list of commits is empty, where it is. */
function renderNone({ length }) {
  const { type, path } = filter;
  const what = [type && `is a ${type}`, path && `touched ${path}`].filter(Boolean).join(" that ");
  const isMalformed = /~(?![01])/.test(path);
  byID("by-path").setAttribute("aria-invalid", isMalformed);
  const none = byID("no-commits");
  none.hidden = shown.length > 0;
  setText(none, !length ? "No commits yet."
    : isMalformed ? `${path} is not a JSON Pointer: after ~ comes 0 or 1 (~0 is ~, ~1 is /).`
      : `None of ${length} commit${length === 1 ? "" : "s"} ${what}.`);
}

let detailed = null;
function renderDetail(entry) {
  if (detailed === entry) return;
  detailed = entry;
  const detail = byID("detail");
  setText(byID("detail-title"), entry ? `Commit ${entry.rev}` : "Commit");
  if (!entry) {
    setText(byID("detail-sub"), "");
    return detail.replaceChildren(h("p", { class: "dim" }, "Nothing has happened yet."));
  }
  setText(byID("detail-sub"),
    `${senderOf(entry)} · ${new Date(entry.at).toLocaleString()} · ${entry.bytes} bytes`);
  const before = timeline.stateAt(entry.rev - 1);
  const what = entry.travel
    ? `${entry.travel.op} to revision ${entry.travel.to}` : JSON.stringify(entry.action, null, 2);
  const steps = entry.patch.slice(0, 200).map((step) => stepOf(step, before));
  const rest = entry.patch.length - steps.length;
  detail.replaceChildren(
    h("h3", {}, "Action"), h("pre", {}, what),
    h("h3", {}, entry.patch.length ? "Patch" : "The state is as it was"), ...steps,
    rest > 0 ? h("p", { class: "dim" }, `and ${rest} steps more`) : "");
  detail.scrollTop = 0;
}

/** A step of a patch, with what was there before it. The value before an earlier step of the same
 * patch stands for it, which is right for what it replaces. */
function stepOf({ op, path, value }, before) {
  const old = op === "add" ? undefined : valueAt(before, path);
  return h("div", { class: "step", "data-op": op },
    h("span", { class: "op" }, op),
    h("button", { type: "button", class: "path", title: "Show in the state",
      onclick: () => tree.reveal(path) }, path || "(the whole state)"),
    old === undefined ? null : h("span", { class: "old" }, preview(old, 3)),
    op === "remove" ? null : h("span", { class: "new" }, preview(value, 3)));
}

function valueAt(value, path) {
  for (const key of path.split("/").slice(1)) {
    value = value?.[key.replace(/~1/g, "/").replace(/~0/g, "~")];
  }
  return value;
}

function renderTypes() {
  const seen = [...timeline.types].filter(([type, count]) => count > 0 || type === filter.type);
  const select = byID("by-type");
  keyed(select, [["", 0], ...seen.sort()], ([type]) => type || "all", ([type]) =>
    h("option", { value: type }), (option, [type, count]) =>
    setText(option, type ? `${type} (${count})` : "All types"));
  if (select.value !== filter.type) select.value = filter.type;
  dispatch.offer(types, timeline.entries);
}

const WORDS = { online: "live", connecting: "connecting", offline: "offline",
  closed: "closed, reload the page to connect again" };
function renderStatus() {
  const status = byID("status");
  status.dataset.status = connection.status;
  const isOff = connection.status !== "online";
  for (const button of document.querySelectorAll("[data-live]")) {
    button.setAttribute("aria-disabled", isOff);
  }
  setText(status, WORDS[connection.status] +
    (epoch ? ` · revision ${timeline.lastRevision} · epoch ${epoch.slice(0, 8)}` : ""));
}

connection.onStatus((status, { error }) => {
  if (error) app.notice(error.message);
  if (status !== "online") return render();
  const { stores } = connection.welcome;
  const select = byID("store");
  select.replaceChildren(...stores.map(({ name }) => h("option", { value: name }, name)));
  if (app.store) select.value = app.store.name;
  openNamed(named());
  lists.refresh();
  render();
});
