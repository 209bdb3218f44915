// Effects, clients, topics and the form that dispatches: what stands beside the commits.
import { h, iconButton, keepFocus, keyed, setText, timeText } from "/dom.js";
import { preview } from "/inspector-tree.js";
import { makeVirtualList } from "/virtual-list.js";

const byID = (id) => document.getElementById(id);
/** How often a list is asked for while it is looked at. */
const REFRESH = 1_000;
/** Events that are held; the oldest go first. */
const EVENT_LIMIT = 1_000;

/** The tabs. `shown(name)` is called when another one is looked at. */
export function makeTabs(shown) {
  const tabs = [...document.querySelectorAll("#tabs [role=tab]")];
  function open(tab) {
    for (const each of tabs) {
      const isOpen = each === tab;
      each.setAttribute("aria-selected", isOpen);
      each.tabIndex = isOpen ? 0 : -1;
      byID(each.getAttribute("aria-controls")).hidden = !isOpen;
    }
    shown(tab.dataset.name);
  }
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      open(next);
      next.focus();
    });
  });
  open(tabs[0]);
}

/** Running effects and connected clients; each is asked for while its tab is open. */
export function makeLists(app) {
  let name = "effects";

  const duration = (ms) => (ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min`);

  async function effects() {
    const { store } = app;
    const { effects } = await store.request("effects");
    if (store !== app.store) return; // another one was opened meanwhile
    keepFocus(() => keyed(byID("effect-list"), effects,
      ({ id, scope }) => `${store.name} ${scope} ${id}`, ({ id }) =>
        h("li", { class: "entry" }, h("div", {}, h("b", {}, id), h("small")),
          iconButton("close", `Cancel ${id}`, async () => {
            await app.attempt(store.request("cancel", { effect: id }));
            refresh();
          }, { "data-live": true })),
      (element, effect) => setText(element.querySelector("small"),
        `${effect.scope} · since revision ${effect.from_rev} · ${duration(effect.age_ms)}` +
        ` · ${effect.emitted} emitted`)), () => [byID("panel-effects")]);
    byID("no-effects").hidden = effects.length > 0;
  }

  async function clients() {
    const { clients } = await app.connection.request("clients");
    // Connections that a browser keeps for later requests are the least of interest.
    clients.sort((a, b) => (a.transport === "http") - (b.transport === "http"));
    keyed(byID("client-list"), clients, ({ client }) => client, ({ client, user }) =>
      h("li", { class: "entry" }, h("div", {},
        h("b", {}, user ? `${user} (${client})` : client,
          client === app.connection.welcome?.client ? " · this page" : ""), h("small"))),
    (element, { transport, since }) => setText(element.querySelector("small"),
      `${transport} · since ${timeText(since)}`));
  }

  const asks = { effects, clients };
  function refresh() {
    if (document.hidden || app.connection.status !== "online") return;
    asks[name]?.().catch(() => {}); // the next one will tell
  }
  setInterval(refresh, REFRESH);
  return { refresh, open: (next) => ((name = next), refresh()) };
}

/** A live tail of the topics of a pattern, and a form to publish. */
export function makeTopics(app) {
  const events = [];
  let stop = null;
  const list = makeVirtualList(byID("events"), {
    rowHeight: 24,
    role: "option",
    make: () => h("div", { class: "event-row" }, h("time"), h("b"), h("span")),
    fill(row, { time, topic, text }) {
      setText(row.children[0], time);
      setText(row.children[1], topic);
      setText(row.children[2], text);
      row.title = `${topic} ${text}`;
    },
    choose: (index) => list.choose(index),
  });
  list.follows = true;

  function add(topic, text) {
    events.push({ time: new Date().toLocaleTimeString(), topic, text });
    if (events.length > EVENT_LIMIT) events.splice(0, events.length - EVENT_LIMIT);
    list.show(events);
  }

  byID("listen").addEventListener("submit", (event) => {
    event.preventDefault();
    listen();
    add("", `listening to ${byID("pattern").value.trim()}`);
  });
  function listen() {
    stop?.();
    const topic = byID("pattern").value.trim();
    stop = app.connection.listen(topic,
      (data, { topic, from, rev }) => add(topic, preview(data) +
        (from ? ` from ${from.user ?? from.client}` : "") + (rev ? ` at ${rev}` : "")),
      { dropped: (count) => add("", `${count} events were dropped`),
        failed: (error) => app.notice(error.message) });
  }
  byID("publish").addEventListener("submit", (event) => {
    event.preventDefault();
    const { topic, data } = event.target.elements;
    let value;
    try {
      value = data.value.trim() ? JSON.parse(data.value) : null;
    } catch {
      value = data.value; // plain text is a string
    }
    app.attempt(app.connection.publish(topic.value.trim(), value)
      .then(({ listeners }) => app.notice(`${listeners} listening`)));
  });
  listen();
}

/** The form that dispatches. Returns `{ offer(types, entries), reset() }`. */
export function makeDispatch(app) {
  const form = byID("dispatch");
  const { type, payload } = form.elements;
  const result = byID("dispatch-result");
  let entries = [];

  async function send(dryRun) {
    let action;
    try {
      action = { type: type.value.trim() };
      if (payload.value.trim()) action.payload = JSON.parse(payload.value);
    } catch (error) {
      return void setText(result, `payload: ${error.message}`);
    }
    setText(result, "Waiting for the answer …");
    try {
      const { id, op, store, ...ack } = await app.store.dispatch(action, { dryRun });
      setText(result, JSON.stringify(ack, null, 1));
    } catch (error) {
      setText(result, `${error.code}: ${error.message}${error.at ? ` at ${error.at}` : ""}`);
    }
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.submitter?.name === "dry" ? true : undefined);
  });
  // What was last sent with a type is a good beginning.
  type.addEventListener("change", () => {
    const last = entries.findLast(({ action }) => action?.type === type.value);
    const value = last?.action.payload;
    payload.value = value === undefined ? "" : JSON.stringify(value);
  });

  return {
    offer(types, newest) {
      entries = newest;
      keyed(byID("types"), types, (name) => name, (name) => h("option", { value: name }));
    },
    reset() {
      type.value = payload.value = "";
      setText(result, "");
    },
  };
}

/** The action types that a store knows. Its refusal of an unknown one lists them; a dry run changes
 * nothing. */
export async function knownTypes(store) {
  try {
    await store.dispatch({ type: "" }, { dryRun: true });
  } catch (error) {
    const [, list] = /types?: (.+)$/i.exec(error.message) ?? [];
    return list?.split(/,\s*/) ?? [];
  }
  return [];
}
