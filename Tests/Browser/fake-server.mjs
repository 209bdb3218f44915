// A server in memory for the tests of rex.js: sockets that the test opens, answers and breaks, and
// a store that applies each key once, as protocol.md says.

/** Lets everything that is under way run. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

export class FakeServer {
  sockets = [];
  /** Frames received, of all connections. */
  frames = [];
  epoch = "e1";
  rev = 0;
  state = null;
  applied = [];
  keys = new Map();
  /** Patches by the revision they lead to. */
  history = [];
  isSilent = false;
  limits = { frame_bytes: 1_048_576 };

  get socketClass() {
    const server = this;
    return class FakeSocket {
      readyState = 0;
      constructor(url, protocols) {
        Object.assign(this, { url, protocols, subs: new Map(), next: 0 });
        server.sockets.push(this);
      }
      send(text) {
        if (this.readyState !== 1) throw new Error("sent on a socket that is not open");
        server.received(this, JSON.parse(text));
      }
      close(code) {
        this.readyState = 3;
        this.code = code;
      }
    };
  }

  get socket() {
    return this.sockets.at(-1);
  }

  async accept() {
    this.socket.readyState = 1;
    this.socket.onopen();
    await settle();
  }

  async break(code = 1006, reason = "") {
    this.socket.readyState = 3;
    this.socket.onclose({ code, reason });
    await settle();
  }

  say(frame, socket = this.socket) {
    socket.onmessage({ data: JSON.stringify(frame) });
  }

  received(socket, frame) {
    this.frames.push(frame);
    if (this.isSilent) return;
    const answer = this.answer(socket, frame);
    // A message is a task of its own, and a broken socket brings none.
    if (answer) queueMicrotask(() => socket.readyState === 1 && this.say(answer, socket));
  }

  answer(socket, frame) {
    const { op, id } = frame;
    switch (op) {
      case "hello":
        return { op: "welcome", id, protocol: 1, session: "S", client: `c${this.sockets.length}`,
          stores: [{ name: "doc", epoch: this.epoch, rev: this.rev }], limits: this.limits };
      case "subscribe": {
        const sub = `s${++socket.next}`;
        socket.subs.set(sub, frame);
        const { epoch, rev } = frame.since ?? {};
        const resumed = epoch === this.epoch && rev <= this.rev;
        if (resumed && rev < this.rev) {
          const patch = this.history.slice(rev).flat();
          setImmediate(() => this.say({ op: "patch", sub, from: rev, rev: this.rev, patch }, socket));
        }
        return { op: "subscribed", id, sub, epoch: this.epoch, rev: resumed ? rev : this.rev,
          resumed, ...(resumed ? {} : { state: this.state }) };
      }
      case "unsubscribe":
        socket.subs.delete(frame.sub);
        return { op: "ack", id };
      case "listen":
        return { op: "listening", id, listen: `t${++socket.next}`, topic: frame.topic };
      case "dispatch": {
        if (frame.key && this.keys.has(frame.key)) {
          return { op: "ack", id, rev: this.keys.get(frame.key), duplicate: true };
        }
        this.applied.push(frame.action.payload);
        this.keys.set(frame.key, ++this.rev);
        this.history.push([]);
        return { op: "ack", id, rev: this.rev };
      }
      case "ping":
        return { op: "pong", id };
      default:
        return { op: "ack", id };
    }
  }

  /** Commits a patch, which everybody who is subscribed gets. */
  commit(patch, state) {
    const from = this.rev++;
    this.state = state;
    this.history.push(patch);
    for (const socket of this.sockets) {
      if (socket.readyState !== 1) continue;
      for (const sub of socket.subs.keys()) {
        this.say({ op: "patch", sub, from, rev: this.rev, patch }, socket);
      }
    }
  }
}
