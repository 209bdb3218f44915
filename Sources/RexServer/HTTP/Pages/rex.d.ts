/**
 * Rex in a browser: a connection to the store server, with local copies of what is watched.
 *
 *     import { connect } from "/rex.js";
 *     const store = connect().store("counter");
 *     store.subscribe("/count", (count) => { document.title = String(count); });
 *     await store.dispatch({ type: "increment" });
 *
 * In React a place in the state is an external store:
 *
 *     const room = store.watch("/rooms/general");
 *     const value = useSyncExternalStore(room.subscribe, room.getSnapshot);
 *
 * And anywhere it is an async sequence: `for await (const room of store.watch("/rooms/general"))`.
 *
 * States are plain JSON that is shared: never change them. What a change did not touch is the same
 * object as before, so `===` tells what changed. Integers beyond 2^53 lose digits, as everywhere in
 * JavaScript. Nothing is sent to any other place than `url`.
 */

/** Any JSON value. */
export type JSONValue =
  | null | boolean | number | string | readonly JSONValue[] | { readonly [name: string]: JSONValue };

/** A Flux Standard Action. */
export interface Action {
  readonly type: string;
  readonly payload?: unknown;
}

/** One step of a patch (RFC 6902); the server sends these three. */
export type PatchStep =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** A frame of the server; its members stand in protocol.md. */
export interface Frame {
  readonly op: string;
  readonly [member: string]: any;
}

/** The answer to a dispatch. */
export interface Ack extends Frame {
  readonly op: "ack";
  readonly store: string;
  /** The revision that the action made; of a dry run the present one. */
  readonly rev: number;
  /** Whether an earlier try with the same key had been applied already. */
  readonly duplicate?: boolean;
  /** Of a dry run: what the action would change. */
  readonly patch?: readonly PatchStep[];
}

/**
 * What went wrong. `code` is one of protocol.md's (with the members of that frame: `at`,
 * `retry_ms`, `rev` …), or one of this side:
 * - `disconnected`: the connection broke before the answer, and the request may have been done;
 * - `closed`: the connection has ended for good;
 * - `overloaded`: 10,000 requests wait already;
 * - `too_large`: the frame is over the server's limit; it was not sent.
 */
export class RexError extends Error {
  readonly code: string;
  readonly at?: string;
  readonly retry_ms?: number;
  readonly rev?: number;
}

export interface Options {
  /** Where the server is; left out, `/ws` on the page's own origin. */
  url?: string;
  /** Sent in `hello`, never in a URL. */
  token?: string;
  /** What this program calls itself, such as "dashboard/1.2". */
  name?: string;
  /** `welcome.session` of a page that was here before: to be that client, where it still is waited
   * for. It is as good as a password, and one page at a time can have it. */
  session?: string;
  /**
   * Called on each new connection before anything that waits is sent, for what a client has to do
   * first (to join a room, say). What it asks goes out at once, for this connection alone. When it
   * throws, the connection is given up and tried again later.
   */
  enter?(ask: (op: string, members?: object) => Promise<Frame>, welcome: Frame): unknown;
  /** After two silent intervals the server is asked whether it is there, and after three the
   * connection is given up; in milliseconds, 5,000 where left out. */
  heartbeat?: number;
  /** The pause before the first retry and the longest one, in milliseconds (250 and 10,000); each
   * retry doubles it, and half of it is random. */
  minDelay?: number;
  maxDelay?: number;
  /** The class of sockets, for tests and for places without a global one. */
  WebSocket?: new (url: string, protocols: string[]) => WebSocket;
}

/**
 * - `connecting`: a socket is being opened, or `enter` is under way;
 * - `online`: requests are sent as they come;
 * - `offline`: it will be tried again in `retryIn` milliseconds;
 * - `closed`: for good: by `close()`, or the server said not to come back.
 */
export type Status = "connecting" | "online" | "offline" | "closed";

export interface StatusDetail {
  readonly reason?: string;
  readonly retryIn?: number;
  readonly attempt?: number;
  readonly error?: RexError;
}

/** Opens a connection, which comes back by itself until it is closed. */
export function connect(options?: Options): Connection;

export interface Connection {
  readonly status: Status;
  /** The server's last `welcome`: client id, stores, limits. */
  readonly welcome: Frame | undefined;
  /** A store by name; without one the server's default store. The same name, the same object. */
  store<State = any, A extends Action = Action>(name?: string): Store<State, A>;
  /**
   * Sends any frame of protocol.md and resolves to the answer. It waits until there is a
   * connection. When that breaks, what only reads is asked again, and so is what has a `key`;
   * anything else is rejected with `disconnected`.
   */
  request(op: string, members?: object): Promise<Frame>;
  /** Sends data to everybody who listens to a topic. At most once. */
  publish(topic: string, data?: unknown): Promise<Frame & { readonly listeners: number }>;
  /**
   * Calls back with each event on the topics of a pattern (`*` one token, `>` the rest). Events of
   * the time without a connection are not seen; `dropped` hears how many the server left out.
   * Returns a function that stops it.
   */
  listen(
    pattern: string,
    callback: (data: any, event: Frame) => void,
    options?: { dropped?(count: number): void; failed?(error: RexError): void },
  ): () => void;
  /** Calls back with the status, now and whenever it changes. Returns a function that stops it. */
  onStatus(callback: (status: Status, detail: StatusDetail) => void): () => void;
  /** While offline: tries at once instead of after the pause. */
  retryNow(): void;
  /** Ends it for good, and the server does not wait for this client to come back; what waits is
   * rejected with `closed`. */
  close(): void;
}

export interface WatchOptions {
  /** At most one change in this time, in milliseconds; the last one is never lost. */
  throttle?: number;
}

export interface SubscribeOptions extends WatchOptions {
  /** Called where the server refuses the place (an unknown store, a malformed path), on each
   * connection anew; without it the error is unhandled. */
  failed?(error: RexError): void;
}

export interface Position {
  readonly epoch: string;
  readonly rev: number;
}

/** What led to a new value; `patch` is absent where the server sent the value whole. */
export interface Change extends Position {
  readonly patch?: readonly PatchStep[];
}

export interface Store<State = any, A extends Action = Action> {
  readonly connection: Connection;
  readonly name: string | undefined;
  /** The local copy of the whole state, while somebody is subscribed to ""; otherwise undefined. */
  readonly state: State | undefined;
  /**
   * Sends an action and resolves to its ack, when its patches have been applied here. Without a
   * connection it waits. It is sent again, under its key, until there is an answer: applied once,
   * in the order of the calls and as it was when it was called. Rejects with a `RexError` where
   * the store refuses it, with a `TypeError` where JSON cannot say it (a BigInt, a cycle).
   * What waits is in the memory of the page, and goes with it.
   */
  dispatch(
    action: A,
    options?: {
      /** A random one where left out. */
      key?: string;
      /** Apply only at this revision; otherwise `conflict`. */
      expect?: number;
      await?: "applied" | "durable" | "effects";
      dryRun?: boolean;
    },
  ): Promise<Ack>;
  /**
   * Calls back with the value at a JSON Pointer (RFC 6901; "" is the whole state) as soon as it is
   * known, and whenever it changes; null where there is nothing. All subscribers of a place share
   * one subscription and one copy. Returns a function that stops it.
   */
  subscribe<Value = any>(
    path: string, callback: (value: Value, change: Change) => void, options?: SubscribeOptions,
  ): () => void;
  /** A place in the state. While it has subscribers, the same path gives the same object. */
  watch<Value = any>(path?: string, options?: WatchOptions): Watch<Value>;
  /** `connection.request` with this store: get, history, diff, undo, redo, jump, effects, … */
  request(op: string, members?: object): Promise<Frame>;
}

/**
 * A place in the state, in the shape of `useSyncExternalStore`; both functions are bound.
 *
 * As an async sequence: the present value, then newer ones; a slow reader gets the newest, not each.
 * It waits while there is no connection. It ends with `close()`, and throws a `RexError` where the
 * server refuses the place or ends the connection for good.
 */
export interface Watch<Value = any> extends AsyncIterable<Value> {
  /** Of the value; undefined before the first. */
  readonly position: Position | undefined;
  /** Calls back after each change; `failed` as in `SubscribeOptions`. Returns a function that stops
   * it. */
  readonly subscribe: (
    callback: (change: Change) => void, failed?: (error: RexError) => void,
  ) => () => void;
  /** The value as it was last heard, and the same object until it changes: undefined before the
   * first answer, null where there is nothing at the place. */
  readonly getSnapshot: () => Value;
}

/** Applies a patch and returns the new value. The old one is as it was, and what the patch does not
 * touch is in both. Throws where it does not fit. */
export function applyPatch<Value = any>(state: Value, patch: readonly PatchStep[]): Value;
