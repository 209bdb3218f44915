// The inspector: what a store's commits did, and its state at each of them. Looking at another
// revision happens here alone; undo, redo and jump are commits that everybody sees.
import { connect } from "/rex.js";
import { h, hueOf, keyed, nameInAddress, onceAFrame, setText } from "/dom.js";
import { knownTypes, makeDispatch, makeLists, makeTabs, makeTopics } from "/inspector-side.js";
import { senderOf, Timeline, touches, typeOf } from "/inspector-timeline.js";
import { makeTree, preview } from "/inspector-tree.js";
import { askWhoItIs, token } from "/token.js";
import { makeVirtualList } from "/virtual-list.js";

const byID = (id) => document.getElementById(id);
/** A commit that changes nothing sends no patch; it is found by asking. */
const REFRESH = 1_000;

const connection = connect({ name: "inspector/1", token });
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
    app.timer = setTimeout(() => (notice.hidden = true), 5_000);
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
  history.replaceState(null, "", `#${encodeURIComponent(name)}`);
  lists.refresh();
  render();
}

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

// Travelling.

for (const op of ["undo", "redo"]) {
  byID(op).addEventListener("click", () => app.attempt(app.store.request(op)));
}
byID("jump").addEventListener("click", () =>
  app.attempt(app.store.request("jump", { rev: revision() }).then(() => look(null))));

// Filters.

function setFilter(change) {
  filter = { ...filter, ...change, from: 0 };
  shown = [];
  byID("by-path").value = filter.path;
  byID("by-type").value = filter.type;
}
function filterByPath(path) {
  setFilter({ path });
  render();
}
byID("by-type").addEventListener("change", (event) => {
  setFilter({ type: event.target.value });
  render();
});
byID("by-path").addEventListener("input", (event) => filterByPath(event.target.value.trim()));
byID("store").addEventListener("change", (event) => open(event.target.value));
window.addEventListener("hashchange", () => {
  const name = nameInAddress();
  if (![...byID("store").options].some(({ value }) => value === name)) return;
  byID("store").value = name;
  open(name);
});

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

const render = onceAFrame(() => {
  if (!timeline) return;
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
  renderTypes();
  renderStatus();
});

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
  const seen = [...timeline.types].filter(([, count]) => count > 0);
  const select = byID("by-type");
  keyed(select, [["", 0], ...seen.sort()], ([type]) => type || "all", ([type]) =>
    h("option", { value: type }), (option, [type, count]) =>
    setText(option, type ? `${type} (${count})` : "All types"));
  const all = new Set([...types, ...seen.map(([type]) => type).filter((type) => !/^[⟲?]/.test(type))]);
  dispatch.offer([...all], timeline.entries);
}

const WORDS = { online: "live", connecting: "connecting", offline: "offline", closed: "closed" };
function renderStatus() {
  const status = byID("status");
  status.dataset.status = connection.status;
  setText(status, WORDS[connection.status] +
    (epoch ? ` · revision ${timeline.lastRevision} · epoch ${epoch.slice(0, 8)}` : ""));
}

connection.onStatus((status, { error }) => {
  if (error) app.notice(error.message);
  if (status !== "online") return render();
  const { stores } = connection.welcome;
  const select = byID("store");
  select.replaceChildren(...stores.map(({ name }) => h("option", { value: name }, name)));
  const wanted = app.store?.name ?? nameInAddress();
  const name = stores.some((store) => store.name === wanted) ? wanted : stores[0].name;
  select.value = name;
  if (app.store?.name !== name) open(name);
  lists.refresh();
  render();
});
