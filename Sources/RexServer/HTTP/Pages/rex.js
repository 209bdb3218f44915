// Rex in a browser. What each call promises stands in rex.d.ts; the frames in protocol.md.

const MOST_HELD = 10_000;
const FINAL_CODES = [1002, 1003, 1007, 1008, 1009, 4001, 4002]; // the same would happen again
const READS = /^(get|history|diff|effects|hash|clients|ping)$/; // can be asked again

export class RexError extends Error {
  constructor(code, message = code, frame) {
    super(message);
    Object.assign(this, frame, { code });
  }
}

const CLOSED = new RexError("closed"); // by `close()`

export function connect({
  url = location.origin.replace("http", "ws") + "/ws", token, name, session, enter,
  heartbeat = 5_000, minDelay = 250, maxDelay = 10_000, WebSocket = globalThis.WebSocket,
} = {}) {
  let status, detail, welcome, socket, bye, retry, beat;
  let isOpen = false; // `enter` is through; until then requests wait
  let silence = 0; // beats since something came
  let attempt = 0, lastID = 0;
  const pending = new Map(); // requests without an answer, the oldest first
  const feeds = new Set(); // watches and listeners
  const named = new Map(); // by the server's names
  const watchers = new Set();
  const stores = new Map();

  function open() {
    forget();
    bye = null;
    silence = 0;
    const mySocket = (socket = new WebSocket(url, ["rex.v1.json"]));
    // A socket that was given up is silent.
    const mine = (body) => (value) => socket === mySocket && body(value);
    socket.onopen = mine(() => greet(mine));
    socket.onmessage = mine((event) => received(JSON.parse(event.data)));
    socket.onclose = mine((event) => lost(event.reason, event.code));
    beat = setTimeout(check, heartbeat);
    tell("connecting", {});
  }

  // The answers come in this order.
  function greet(mine) {
    request("hello", {
      protocol: 1, token, session, client: name, heartbeat_ms: heartbeat * 3,
    }, true).then((frame) => {
      ({ session } = welcome = frame);
      return enter?.((op, members) => request(op, members, true), welcome);
    }, mine(finish)).then(mine(() => {
      isOpen = true;
      attempt = 0;
      tell("online", {});
      for (const entry of pending.values()) entry.sent || post(entry);
    })).catch(mine(drop));
    feeds.forEach(start);
  }

  function lost(reason, code) {
    forget();
    for (const entry of pending.values()) {
      if (entry.direct || (entry.sent && !entry.again)) refuse(entry, "disconnected");
      entry.sent = false;
    }
    reason = bye?.message || reason || "no connection";
    if (bye ? !bye.reconnect : FINAL_CODES.includes(code)) {
      return finish(new RexError(bye?.code ?? "closed", reason));
    }
    const retryIn = Math.min(maxDelay, minDelay * 2 ** attempt++) * (0.5 + Math.random() / 2);
    retry = setTimeout(open, retryIn);
    tell("offline", { reason, retryIn, attempt });
  }

  // Waits for no closing handshake.
  function drop({ message }) {
    socket.close();
    lost(message);
  }

  function finish(error) {
    socket?.close(1000);
    forget();
    globalThis.removeEventListener?.("online", retryNow);
    tell("closed", { reason: error.message, error });
    for (const entry of pending.values()) refuse(entry, error.code, error.message);
  }

  function forget() {
    clearTimeout(retry);
    clearTimeout(beat);
    socket = retry = null;
    isOpen = false;
    named.clear();
  }

  function tell(...now) {
    [status, detail] = now;
    for (const watcher of [...watchers]) call(watcher, ...now);
  }

  function check() {
    if (++silence > 2) return drop({ message: "no answer" });
    beat = setTimeout(check, heartbeat);
    if (silence === 2 && socket.readyState === 1) socket.send('{"op":"ping"}');
  }

  const retryNow = () => retry && open();

  // A direct one is for this connection and never waits.
  function request(op, members, direct) {
    const id = ++lastID;
    return new Promise((resolve, reject) => {
      if (status === "closed") return reject(detail.error);
      if (!direct && pending.size >= MOST_HELD) return reject(new RexError("overloaded"));
      const text = JSON.stringify({ ...members, op, id }); // may throw
      const entry = { id, text, resolve, reject, direct, again: READS.test(op) || members?.key };
      pending.set(id, entry);
      if (direct || isOpen) post(entry);
    });
  }

  function post(entry) {
    // The server would hang up each time.
    const size = new TextEncoder().encode(entry.text).length;
    if (size > welcome?.limits?.frame_bytes) return refuse(entry, "too_large");
    entry.sent = true;
    socket?.send(entry.text);
  }

  function refuse({ id, reject }, ...why) {
    pending.delete(id);
    reject(new RexError(...why));
  }

  function received(frame) {
    const { op, id, code, message } = frame;
    const entry = pending.get(id);
    silence = 0;
    if (op === "ping") socket.send('{"op":"pong"}');
    else if (op === "bye") bye = frame;
    else if (id === undefined) {
      const feed = named.get(nameOf(frame));
      if (code) feed?.failed(new RexError(code, message, frame));
      else feed?.took(frame);
    }
    // What a server leaves undone is for the next.
    else if (entry && !(code === "shutting_down" && entry.again)) {
      if (op === "error") return refuse(entry, code, message, frame);
      pending.delete(id);
      entry.resolve(frame);
    }
  }

  function add(feed) {
    feeds.add(feed);
    if (socket?.readyState === 1) start(feed);
    return () => {
      feeds.delete(feed);
      end(feed);
    };
  }

  function start(feed) {
    request(...feed.asks(), true).then((frame) => {
      end(feed); // where it was ended and added again meanwhile
      named.set(nameOf(frame), feed);
      if (feeds.has(feed)) feed.took(frame);
      else end(feed);
    }, (error) => {
      if (error.code !== "disconnected" && status !== "closed") feed.failed(error);
    });
  }

  function end(feed) {
    for (const [name, it] of named) {
      if (it !== feed) continue;
      named.delete(name);
      request(feed.ends, JSON.parse(name), true).catch(() => {});
    }
  }

  const connection = {
    get status() { return status; },
    get welcome() { return welcome; },
    request, retryNow,
    publish: (topic, data = null) => request("publish", { topic, data }),
    close: () => finish(CLOSED),
    store(name) {
      if (!stores.has(name)) stores.set(name, makeStore(connection, name, add));
      return stores.get(name);
    },
    listen(topic, callback, { dropped = () => {}, failed = raise } = {}) {
      const took = (frame) => {
        if (frame.op === "event") call(callback, frame.data, frame);
        else if (frame.op === "dropped") call(dropped, frame.count);
      };
      return add({ asks: () => ["listen", { topic }], ends: "unlisten", took, failed });
    },
    onStatus(callback) {
      watchers.add(callback);
      call(callback, status, detail);
      return () => watchers.delete(callback);
    },
  };
  globalThis.addEventListener?.("online", retryNow);
  open();
  return connection;
}

function makeStore(connection, name, add) {
  const watches = new Map(); // by path, where somebody is
  const request = (op, members) => connection.request(op, { store: name, ...members });
  const watch = (path = "", { throttle } = {}) =>
    watches.get(path) ?? makeWatch(connection, name, path, throttle, watches, add);
  return {
    connection, name, request, watch,
    get state() { return watch().getSnapshot(); },
    dispatch: (action, { key = randomKey(), expect, await: until, dryRun } = {}) =>
      request("dispatch", { action, key, expect, await: until, dry_run: dryRun }),
    subscribe(path, callback, options) {
      const it = watch(path, options);
      const tell = (change) => callback(it.getSnapshot(), change);
      const stop = it.subscribe(tell, options?.failed);
      if (it.position) call(tell, it.position);
      return stop;
    },
  };
}

function makeWatch(connection, store, path, throttle_ms, watches, add) {
  const callbacks = new Map(); // each with what hears of a refusal
  let state, position, refusal, stop; // a position is { epoch, rev }
  const asks = () => {
    refusal = null;
    return ["subscribe", { store, path, throttle_ms, since: position }];
  };
  const feed = { asks, ends: "unsubscribe", took, failed };

  function failed(error) {
    refusal = error;
    for (const each of [...callbacks.values()]) call(each, error);
  }

  function took(frame) {
    const { patch, rev, epoch = position?.epoch } = frame;
    const before = position && state;
    try {
      if (patch && frame.from !== position.rev) throw Error();
      if (patch) state = applyPatch(state, patch);
      else if (!frame.resumed) state = share(state, frame.state);
    } catch {
      // Rather all anew than a wrong state.
      stop();
      position = undefined;
      return void (stop = add(feed));
    }
    position = { epoch, rev };
    if (state === before) return;
    for (const [callback] of [...callbacks]) call(callback, { epoch, rev, patch });
  }

  const watch = {
    get position() { return position; },
    getSnapshot: () => state,
    subscribe(callback, failed = raise) {
      if (callbacks.set(callback, failed).size === 1) {
        watches.set(path, watch);
        stop = add(feed);
      } else if (refusal) call(failed, refusal);
      return () => {
        if (!callbacks.delete(callback) || callbacks.size) return;
        if (watches.get(path) === watch) watches.delete(path);
        stop();
      };
    },
    async *[Symbol.asyncIterator]() {
      let news = position; // or an error
      let wake = () => {};
      const tell = (it) => wake(news = it);
      const stop = watch.subscribe(tell, tell);
      const ignore = connection.onStatus((_, { error }) => error && tell(error));
      try {
        for (;; yield state) {
          if (!news) await new Promise((resolve) => (wake = resolve));
          if (news === CLOSED) return;
          if (news.code) throw news;
          news = null;
        }
      } finally {
        stop();
        ignore();
      }
    },
  };
  return watch;
}

export function applyPatch(state, patch) {
  const copies = new Set(); // each container is copied once
  // Around the state, so that the root is a place like others.
  const root = { "": state };
  for (const { op, path, value } of patch) {
    const keys = path.split("/").map((key) => key.replace(/~1/g, "/").replace(/~0/g, "~"));
    const last = keys.pop();
    let parent = root;
    for (const key of keys) {
      let child = Object.hasOwn(parent, key) && parent[key];
      if (!isObject(child)) throw new Error(path);
      if (!copies.has(child)) {
        child = Array.isArray(child) ? child.slice() : { ...child };
        copies.add(child);
        put(parent, key, child);
      }
      parent = child;
    }
    const isList = Array.isArray(parent);
    const index = last === "-" ? parent.length : Number(last);
    const fits = op === "add" ? !isList || index <= parent.length : Object.hasOwn(parent, last);
    if (!fits) throw new Error(path);
    if (op === "remove") isList ? parent.splice(index, 1) : delete parent[last];
    else if (op === "add" && isList) parent.splice(index, 0, value);
    else put(parent, last, value);
  }
  return root[""] ?? null;
}

// `next` with those parts of `old` that are equal. O(size).
function share(old, next) {
  if (!isObject(old) || !isObject(next) || Array.isArray(old) !== Array.isArray(next)) return next;
  const keys = Object.keys(next);
  let isEqual = keys.length === Object.keys(old).length;
  for (const key of keys) {
    if (Object.hasOwn(old, key)) put(next, key, share(old[key], next[key]));
    isEqual &&= next[key] === old[key];
  }
  return isEqual ? old : next;
}

// "__proto__" is a name like any other.
const put = (object, key, value) => Object.defineProperty(object, key,
  { value, writable: true, enumerable: true, configurable: true });
const isObject = (value) => Object(value) === value;
const nameOf = ({ sub, listen }) => JSON.stringify({ sub, listen });
const raise = (error) => Promise.reject(error);
// What a callback throws is unhandled, and stops nobody else.
const call = async (callback, ...values) => void callback(...values);
const randomKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
