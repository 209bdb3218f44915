// rex.js against a server in memory. Run: node --test Tests/Browser
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mock, test } from "node:test";
import { applyPatch, connect, RexError } from "../../Sources/RexServer/HTTP/Pages/rex.js";
import { FakeServer, settle } from "./fake-server.mjs";
import { naiveApply, randomPatch, randomValue, seeded } from "./random-json.mjs";

/** A connection to a new server in memory, online. */
async function online(options = {}, server = new FakeServer()) {
  const connection = connect({ url: "ws://test/ws", WebSocket: server.socketClass, ...options });
  await server.accept();
  return { server, connection, store: connection.store("doc") };
}

/** With a clock that the test moves. */
async function withClock(body) {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  try {
    await body(mock.timers);
  } finally {
    mock.timers.reset();
  }
}

test("the module is small", () => {
  const file = new URL("../../Sources/RexServer/HTTP/Pages/rex.js", import.meta.url);
  assert.ok(readFileSync(file).length <= 12 * 1024);
});

test("the types name what is there, and nothing else", () => withClock(async () => {
  const types = readFileSync(
    new URL("../../Sources/RexServer/HTTP/Pages/rex.d.ts", import.meta.url), "utf8");
  const membersOf = (name) => {
    const [, body] = new RegExp(`interface ${name}[<\\s][^]*?\\{\\n([^]*?)\\n\\}`).exec(types);
    const names = body.matchAll(/^  (?:readonly )?(\w+)[<(:]/gm);
    return [...new Set([...names].map(([, member]) => member))].sort();
  };
  const { connection, store } = await online();
  assert.deepEqual(Object.keys(connection).sort(), membersOf("Connection"));
  assert.deepEqual(Object.keys(store).sort(), membersOf("Store"));
  assert.deepEqual(Object.keys(store.watch("")).sort(), membersOf("Watch"));
  const module = await import("../../Sources/RexServer/HTTP/Pages/rex.js");
  const exported = [...types.matchAll(/^export (?:class|function) (\w+)/gm)];
  assert.deepEqual(Object.keys(module).sort(), exported.map(([, name]) => name).sort());
}));

test("a dispatch resolves to its ack", () => withClock(async () => {
  const { server, connection, store } = await online();
  assert.equal(connection.status, "online");
  assert.deepEqual(server.socket.protocols, ["rex.v1.json"]);
  const ack = await store.dispatch({ type: "set", payload: 1 }, { expect: 0, dryRun: false });
  assert.equal(ack.rev, 1);
  const frame = server.frames.at(-1);
  assert.equal(frame.store, "doc");
  assert.equal(frame.expect, 0);
  assert.equal(frame.dry_run, false);
  assert.match(frame.key, /^\d+(-\d+){3}$/);
  await store.dispatch({ type: "set", payload: 1 });
  assert.notEqual(server.frames.at(-1).key, frame.key);
}));

test("a refusal is a RexError with the members of the frame", () => withClock(async () => {
  const { server, store } = await online();
  server.answer = (_, { id }) => ({ op: "error", id, code: "rejected", message: "no", at: "/x" });
  await assert.rejects(store.dispatch({ type: "set" }), (error) =>
    error instanceof RexError && error.code === "rejected" && error.message === "no" &&
    error.at === "/x");
}));

test("what was not answered is sent again in its order, and applied once", () =>
  withClock(async (clock) => {
    const { server, store } = await online();
    server.isSilent = true;
    const sent = [1, 2].map((payload) => store.dispatch({ type: "set", payload }));
    // The server got them, the answers are lost.
    server.isSilent = false;
    for (const frame of server.frames.slice(-2)) server.answer(server.socket, frame);
    await server.break();
    const offline = [3, 4].map((payload) => store.dispatch({ type: "set", payload }));
    clock.tick(250);
    await server.accept();
    const acks = await Promise.all([...sent, ...offline]);
    assert.deepEqual(server.applied, [1, 2, 3, 4]);
    assert.deepEqual(acks.map(({ rev }) => rev), [1, 2, 3, 4]);
    assert.deepEqual(acks.map(({ duplicate }) => duplicate ?? false), [true, true, false, false]);
  }));

test("what the server takes away is told", () => withClock(async () => {
  const { server, connection, store } = await online();
  const told = [];
  const seen = [];
  server.state = 5;
  store.subscribe("/a", (state) => seen.push(state), { failed: (error) => told.push(error) });
  connection.listen("news.*", (data) => seen.push(data), { failed: (error) => told.push(error) });
  await settle();
  const count = seen.length;
  const [sub] = server.socket.subs.keys();
  server.say({ op: "state", sub, store: "doc", path: "/a", epoch: "E~part", rev: server.rev,
    state: null });
  server.say({ op: "error", code: "forbidden", message: "no longer", sub });
  server.say({ op: "error", code: "forbidden", message: "no longer", listen: "t2" });
  await settle();
  assert.deepEqual(seen.slice(count), [null]);
  assert.deepEqual(told.map(({ code }) => code), ["forbidden", "forbidden"]);
  assert.ok(told.every((error) => error instanceof RexError) && told[0].sub === sub);
}));

test("random breaks lose and double nothing", () => withClock(async (clock) => {
  const random = seeded(7);
  const { server, store } = await online();
  const answers = [];
  let count = 0;
  for (let step = 0; step < 400; step++) {
    const isOpen = server.socket.readyState === 1;
    if (random() < 0.6) {
      const number = count++;
      answers.push(store.dispatch({ type: "set", payload: number }));
    } else if (!isOpen) {
      clock.tick(10_000);
      if (random() < 0.5) await server.accept();
    } else if (random() < 0.4) {
      await server.break();
    } else await settle();
  }
  while (server.socket.readyState !== 1) {
    clock.tick(10_000);
    await server.accept();
  }
  await Promise.all(answers);
  assert.deepEqual(server.applied, Array.from({ length: count }, (_, index) => index));
}));

test("a session is said again, and one of an earlier page at first", () => withClock(async (clock) => {
  const { server } = await online({ session: "earlier" });
  const said = () => server.frames.findLast(({ op }) => op === "hello").session;
  assert.equal(said(), "earlier");
  await server.break();
  clock.tick(250);
  await server.accept();
  assert.equal(said(), "S");
}));

test("what is neither read nor keyed is given back when the connection breaks", () =>
  withClock(async (clock) => {
    const { server, connection, store } = await online();
    server.isSilent = true;
    const undo = store.request("undo");
    const history = store.request("history", { after: 0 });
    const failed = assert.rejects(undo, { code: "disconnected" });
    await server.break();
    await failed;
    const published = connection.publish("news.x", 1); // not sent yet, so it may wait
    server.isSilent = false;
    clock.tick(250);
    await server.accept();
    await Promise.all([history, published]);
    assert.equal(server.frames.filter(({ op }) => op === "undo").length, 1);
    assert.equal(server.frames.filter(({ op }) => op === "history").length, 2);
    assert.equal(server.frames.filter(({ op }) => op === "publish").length, 1);
  }));

test("a subscription resumes where it was", () => withClock(async (clock) => {
  const server = new FakeServer();
  server.state = { a: { n: 1 }, b: { n: 1 } };
  const { store } = await online({}, server);
  const seen = [];
  store.subscribe("", (state, { rev }) => seen.push([rev, state]));
  await settle();
  server.commit([{ op: "replace", path: "/a/n", value: 2 }], { a: { n: 2 }, b: { n: 1 } });
  await server.break();
  server.commit([{ op: "replace", path: "/a/n", value: 3 }], { a: { n: 3 }, b: { n: 1 } });
  server.commit([{ op: "add", path: "/c", value: [] }], { a: { n: 3 }, b: { n: 1 }, c: [] });
  clock.tick(250);
  await server.accept();
  await settle();
  assert.deepEqual(seen.map(([rev]) => rev), [0, 1, 3]);
  assert.deepEqual(store.state, server.state);
  assert.equal(seen[0][1].b, seen[2][1].b, "what no patch touched is the same object");
  assert.notEqual(seen[0][1].a, seen[1][1].a);
  const subscribes = server.frames.filter(({ op }) => op === "subscribe");
  assert.equal(subscribes.length, 2);
  assert.deepEqual(subscribes[1].since, { epoch: "e1", rev: 1 });
}));

test("after a restart the state comes whole, and equal parts are the same objects", () =>
  withClock(async (clock) => {
    const server = new FakeServer();
    server.state = { a: { n: [1] }, b: 1 };
    const { store } = await online({}, server);
    let last;
    store.subscribe("", (state) => (last = state));
    await settle();
    const before = last;
    await server.break();
    Object.assign(server, { epoch: "e2", rev: 0, state: { a: { n: [1] }, b: 2 } });
    clock.tick(250);
    await server.accept();
    assert.deepEqual(last, { a: { n: [1] }, b: 2 });
    assert.equal(last.a, before.a);
  }));

test("a missing patch is noticed, and the state asked for again", () => withClock(async () => {
  const server = new FakeServer();
  server.state = { n: 1 };
  const { store } = await online({}, server);
  store.subscribe("", () => {});
  await settle();
  server.state = { n: 5 };
  server.rev = 9;
  server.say({ op: "patch", sub: "s1", from: 8, rev: 9, patch: [] });
  await settle();
  assert.deepEqual(store.state, { n: 5 });
  assert.deepEqual([...server.socket.subs.keys()], ["s2"]);
}));

test("subscribers of one place share a subscription, and the last one ends it", () =>
  withClock(async () => {
    const server = new FakeServer();
    server.state = 1;
    const { store } = await online({}, server);
    const watch = store.watch("/n");
    const values = [];
    const stops = [watch.subscribe(() => values.push(watch.getSnapshot())),
      store.subscribe("/n", (value) => values.push(value))];
    await settle();
    store.subscribe("/n", (value) => values.push(value))(); // knows it at once, and stops
    assert.deepEqual(values, [1, 1, 1]);
    assert.equal(store.watch("/n"), watch);
    stops[0]();
    assert.equal(server.socket.subs.size, 1);
    stops[1]();
    await settle();
    assert.equal(server.socket.subs.size, 0);
    // Ended and begun again before the server has answered: one remains.
    watch.subscribe(() => {})();
    watch.subscribe((change) => values.push(change.rev));
    await settle();
    assert.equal(server.socket.subs.size, 1);
    server.commit([{ op: "replace", path: "", value: 2 }], 2);
    assert.equal(watch.getSnapshot(), 2);
  }));

test("a callback that throws stops nobody else", () => withClock(async () => {
  const server = new FakeServer();
  const { store } = await online({}, server);
  const problems = [];
  // The runner would take it for its own.
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.once("unhandledRejection", (error) => problems.push(error.message));
  let value;
  store.subscribe("", () => { throw new Error("mine"); });
  store.subscribe("", (state) => (value = state));
  await settle();
  await settle();
  for (const listener of listeners) process.on("unhandledRejection", listener);
  assert.equal(value, null);
  assert.deepEqual(problems, ["mine"]);
}));

test("an async iterator gives the present value, then the newest", () => withClock(async () => {
  const server = new FakeServer();
  server.state = 0;
  const { store } = await online({}, server);
  const seen = [];
  const done = (async () => {
    for await (const value of store.watch("")) {
      seen.push(value);
      if (value === 3) break;
    }
  })();
  await settle();
  for (const value of [1, 2, 3]) {
    server.commit([{ op: "replace", path: "", value }], value);
  }
  await done;
  assert.deepEqual(seen, [0, 3]);
  await settle();
  assert.equal(server.socket.subs.size, 0);
}));

/** Reads a place to the end: what came, and what it was ended by. */
async function readAll(watch) {
  const values = [];
  try {
    for await (const value of watch) values.push(value);
  } catch (error) {
    return [values, error.code];
  }
  return [values, "end"];
}

/** A server that refuses each subscription. */
function refusing(code) {
  const server = new FakeServer();
  const { answer } = server;
  server.answer = (socket, frame) => (frame.op === "subscribe"
    ? { op: "error", id: frame.id, code, message: "no" } : answer.call(server, socket, frame));
  return { server, relent: () => (server.answer = answer) };
}

test("an async iterator throws where the place is refused, also beside others", () =>
  withClock(async () => {
    const { server, relent } = refusing("unknown_store");
    const { store } = await online({}, server);
    const told = [];
    const [watch, failed] = [store.watch("/x"), ({ code }) => told.push(code)];
    assert.deepEqual(await readAll(watch), [[], "unknown_store"]);
    const stops = [watch.subscribe(() => {}, failed)];
    await settle();
    stops.push(store.subscribe("/x", () => {}, { failed })); // refused already
    assert.deepEqual(told, ["unknown_store", "unknown_store"]);
    assert.deepEqual(await readAll(watch), [[], "unknown_store"]);
    for (const stop of stops) stop();
    relent();
    server.state = 7;
    for await (const value of watch) {
      assert.equal(value, 7);
      break;
    }
  }));

test("a refusal that nobody hears of is unhandled", () => withClock(async () => {
  const { server } = refusing("bad_frame");
  const { store } = await online({}, server);
  const problems = [];
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", ({ code }) => problems.push(code));
  store.subscribe("x", () => {});
  await settle();
  await settle();
  process.removeAllListeners("unhandledRejection");
  for (const listener of listeners) process.on("unhandledRejection", listener);
  assert.deepEqual(problems, ["bad_frame"]);
}));

test("an async iterator ends with close(), and throws what the server ends it with", () =>
  withClock(async () => {
    for (const isAnswered of [true, false]) {
      const server = new FakeServer();
      server.state = 1;
      const { connection, store } = await online({}, server);
      server.isSilent = !isAnswered;
      const read = readAll(store.watch(""));
      await settle();
      connection.close();
      assert.equal(server.socket.code, 1000, "which says that it will not come back");
      assert.deepEqual(await read, [isAnswered ? [1] : [], "end"]);
      assert.deepEqual(await readAll(store.watch("/later")), [[], "end"]);
    }
    const { server, store } = await online();
    const read = readAll(store.watch(""));
    await settle();
    server.say({ op: "bye", code: "replaced", message: "", reconnect: false });
    await server.break(4001);
    assert.deepEqual(await read, [[null], "replaced"]);
    assert.deepEqual(await readAll(store.watch("/later")), [[], "replaced"]);
  }));

test("an async iterator waits through a break", () => withClock(async (clock) => {
  const server = new FakeServer();
  server.state = 1;
  const { connection, store } = await online({}, server);
  const read = readAll(store.watch(""));
  await settle();
  await server.break();
  server.commit([{ op: "replace", path: "", value: 2 }], 2);
  clock.tick(250);
  await server.accept();
  await settle();
  connection.close();
  assert.deepEqual(await read, [[1, 2], "end"]);
}));

test("events arrive, also after a break; what was dropped is told", () => withClock(async (clock) => {
  const { server, connection } = await online();
  const events = [];
  const stop = connection.listen("news.*", (data, { topic }) => events.push([topic, data]),
    { dropped: (count) => events.push(count) });
  await settle();
  server.say({ op: "event", listen: "t1", topic: "news.a", data: 1 });
  server.say({ op: "dropped", listen: "t1", count: 7 });
  await server.break();
  clock.tick(250);
  await server.accept();
  server.say({ op: "event", listen: "t1", topic: "news.b", data: 2 });
  stop();
  server.say({ op: "event", listen: "t1", topic: "news.c", data: 3 });
  assert.deepEqual(events, [["news.a", 1], 7, ["news.b", 2]]);
  assert.equal(server.frames.at(-1).op, "unlisten");
}));

test("pauses grow, have a bound, and begin anew after a success", () => withClock(async (clock) => {
  mock.method(Math, "random", () => 1);
  const { server, connection } = await online();
  const pauses = [];
  connection.onStatus((_, { retryIn }) => retryIn && pauses.push(retryIn));
  for (let round = 0; round < 8; round++) {
    await server.break();
    clock.tick(10_000);
  }
  await server.accept();
  await server.break();
  Math.random.mock.restore();
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 250]);
}));

test("a server that is silent is given up", () => withClock(async (clock) => {
  const { server, connection } = await online({ heartbeat: 1_000 });
  clock.tick(1_000);
  clock.tick(1_000);
  assert.equal(server.frames.at(-1).op, "ping");
  await settle();
  clock.tick(1_000);
  assert.equal(connection.status, "online", "it has answered");
  server.isSilent = true;
  clock.tick(1_000);
  assert.equal(connection.status, "online", "it may still answer");
  clock.tick(1_000);
  assert.equal(connection.status, "offline");
  server.say({ op: "ping" }); // the old socket wakes up
  assert.equal(server.frames.at(-1).op, "ping");
}));

test("enter comes before what waits, and is tried again when it fails", () =>
  withClock(async (clock) => {
    let tries = 0;
    const { server, connection, store } = await online({
      async enter(ask, welcome) {
        await ask("dispatch", { store: "doc", action: { type: "set", payload: welcome.client } });
        if (++tries === 2) throw new Error("not yet");
      },
    });
    assert.equal(connection.status, "online");
    await server.break();
    const waiting = store.dispatch({ type: "set", payload: "mine" });
    clock.tick(250);
    await server.accept();
    assert.equal(connection.status, "offline");
    clock.tick(500);
    await server.accept();
    await waiting;
    assert.deepEqual(server.applied, ["c1", "c2", "c3", "mine"]);
  }));

test("a bye that says not to come back ends it", () => withClock(async () => {
  const { server, connection, store } = await online();
  server.isSilent = true;
  const refused = assert.rejects(store.dispatch({ type: "set" }), { code: "unauthorized" });
  server.say({ op: "bye", code: "unauthorized", message: "token expired", reconnect: false });
  await server.break(1008);
  await refused;
  assert.equal(connection.status, "closed");
  await assert.rejects(store.dispatch({ type: "set" }), { code: "unauthorized" });
}));

test("a dispatch that a server refuses because it goes is for the next one", () =>
  withClock(async (clock) => {
    const { server, store } = await online();
    const { answer } = server;
    server.answer = (_, { id }) => ({ op: "error", id, code: "shutting_down", message: "" });
    const waiting = store.dispatch({ type: "set", payload: 1 });
    await settle();
    server.say({ op: "bye", code: "shutting_down", message: "", reconnect: true });
    await server.break(1001);
    server.answer = answer;
    clock.tick(250);
    await server.accept();
    await waiting;
    assert.deepEqual(server.applied, [1]);
  }));

test("limits: a frame that the server would hang up on, and too many that wait", () =>
  withClock(async () => {
    const server = new FakeServer();
    server.limits = { frame_bytes: 400 };
    const { connection, store } = await online({}, server);
    await assert.rejects(store.dispatch({ type: "set", payload: "é".repeat(200) }),
      { code: "too_large" });
    server.isSilent = true;
    for (let count = 0; count < 10_000; count++) store.request("get").catch(() => {});
    await assert.rejects(store.request("get"), { code: "overloaded" });
    connection.close();
    await assert.rejects(store.request("get"), { code: "closed" });
  }));

test("however many wait, a new connection takes them all", () => withClock(async (clock) => {
  const { server, connection, store } = await online({ enter: (ask) => ask("ping") });
  await server.break();
  const values = [];
  store.subscribe("", (value) => values.push(value));
  const waiting = Array.from({ length: 10_000 }, (_, payload) => store.dispatch({ payload }));
  await assert.rejects(store.dispatch({ payload: -1 }), { code: "overloaded" });
  clock.tick(250);
  await server.accept();
  await Promise.all(waiting);
  assert.equal(connection.status, "online");
  assert.equal(server.applied.length, 10_000);
  assert.equal(values.length, 1);
}));

test("what JSON cannot say is refused at once, and harms nothing that waits", () =>
  withClock(async (clock) => {
    const { server, connection, store } = await online();
    const loop = {};
    loop.loop = loop;
    for (const payload of [10n, loop]) {
      await assert.rejects(store.dispatch({ type: "set", payload }), TypeError);
    }
    await server.break();
    await assert.rejects(store.dispatch({ type: "set", payload: 10n }), TypeError);
    const waiting = store.dispatch({ type: "set", payload: 1 });
    clock.tick(250);
    await server.accept();
    await waiting;
    assert.equal(connection.status, "online");
    assert.deepEqual(server.applied, [1]);
  }));

test("an action is sent as it was when it was dispatched", () => withClock(async (clock) => {
  const { server, store } = await online();
  await server.break();
  const payload = { text: "then" };
  const waiting = store.dispatch({ type: "set", payload });
  payload.text = "later";
  clock.tick(250);
  await server.accept();
  await waiting;
  assert.deepEqual(server.applied, [{ text: "then" }]);
}));

test("patches: as a naive apply, the old value as it was, the rest shared", () => {
  const random = seeded(42);
  for (let round = 0; round < 3_000; round++) {
    const before = randomValue(random, 4);
    const patch = randomPatch(random, before);
    const copy = structuredClone(before);
    const after = applyPatch(before, patch);
    assert.deepEqual(after, naiveApply(copy, patch), JSON.stringify({ before, patch }));
    assert.deepEqual(before, structuredClone(before));
    if (patch.length !== 1 || !patch[0].path || Array.isArray(before)) continue;
    const touched = patch[0].path.split("/")[1].replace(/~1/g, "/").replace(/~0/g, "~");
    for (const key of Object.keys(after)) if (key !== touched) assert.equal(after[key], before[key]);
  }
});

test("patches that do not fit are refused, and leave the value alone", () => {
  const state = JSON.parse('{"list":[1],"text":"x","__proto__":{"a":1}}');
  for (const patch of [
    [{ op: "remove", path: "/nothing" }], [{ op: "replace", path: "/list/1", value: 0 }],
    [{ op: "add", path: "/list/2", value: 0 }], [{ op: "add", path: "/text/x", value: 0 }],
    [{ op: "add", path: "/toString/x", value: 0 }], [{ op: "remove", path: "/list/-" }],
    [{ op: "add", path: "/list/x", value: 0 }],
  ]) assert.throws(() => applyPatch(state, patch), JSON.stringify(patch));
  const after = applyPatch(state, [{ op: "replace", path: "/__proto__/a", value: 2 }]);
  assert.equal(JSON.stringify(after), '{"list":[1],"text":"x","__proto__":{"a":2}}');
  assert.equal({}.a, undefined);
  assert.equal(JSON.stringify(state), '{"list":[1],"text":"x","__proto__":{"a":1}}');
});
