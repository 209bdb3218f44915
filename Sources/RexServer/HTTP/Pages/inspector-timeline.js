// The commits of a store and the state after each of them, without asking the server again.
import { applyPatch } from "/rex.js";

/** Commits that are held here; the oldest go first. */
const COMMIT_LIMIT = 20_000;
/** Entries of one reply. */
const PAGE = 1_000;
/** A state is kept for every so many commits; between them patches are applied. */
const STEP = 64;

export class Timeline {
  /** Commits as `history` gives them, the oldest first, without gaps; with `bytes`. */
  entries = [];
  /** How often each action type is among them. */
  types = new Map();
  #store;
  #base = null; // the state before the first entry
  #kept = new Map(); // states after a commit, by revision
  #loading = null;
  #isStopped = false;

  constructor(store) {
    this.#store = store;
  }

  get firstRevision() {
    return this.entries.length ? this.entries[0].rev - 1 : (this.#base?.rev ?? 0);
  }

  get lastRevision() {
    return this.entries.length ? this.entries.at(-1).rev : (this.#base?.rev ?? 0);
  }

  /** Nothing that is still on its way is taken any more. */
  stop() {
    this.#isStopped = true;
  }

  /** Loads what is newer than what is here. `changed()` is called once there is a state, and after
   * each page. */
  load(changed) {
    this.#loading ??= this.#load(changed).finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #load(changed) {
    if (!this.#base) {
      await this.#begin();
      if (this.#isStopped) return;
      changed(); // there is a state, though there may be no commit
    }
    for (;;) {
      const { entries } = await this.#store.request(
        "history", { after: this.lastRevision, limit: PAGE });
      if (this.#isStopped) return;
      for (const entry of entries) this.#append(entry);
      if (entries.length) changed();
      if (entries.length < PAGE) return;
    }
  }

  /** Finds where to begin: as far back as is held there and may be held here. */
  async #begin() {
    const newest = await this.#store.request("history", { limit: 1 });
    const last = newest.entries.at(-1)?.rev ?? 0;
    let at = Math.max(0, last - COMMIT_LIMIT);
    let base;
    try {
      base = await this.#store.request("get", { at });
    } catch (error) {
      if (error.code !== "gone") throw error;
      // It says which is the first; where it does not, the newest page is enough.
      const first = Number(/first is (\d+)/.exec(error.message)?.[1]);
      base = await this.#store.request("get", { at: first || Math.max(0, last - PAGE) });
    }
    this.#base = { rev: base.rev, state: base.state };
  }

  #append(entry) {
    if (entry.rev !== this.lastRevision + 1) throw new Error("a commit is missing");
    entry.bytes = JSON.stringify(entry.action ?? null).length + JSON.stringify(entry.patch).length;
    this.entries.push(entry);
    const type = typeOf(entry);
    this.types.set(type, (this.types.get(type) ?? 0) + 1);
    if (this.entries.length > COMMIT_LIMIT + PAGE) this.#trim();
  }

  #trim() {
    const rev = this.entries[this.entries.length - COMMIT_LIMIT].rev - 1;
    this.#base = { rev, state: this.stateAt(rev) };
    for (const entry of this.entries.splice(0, this.entries.length - COMMIT_LIMIT)) {
      this.types.set(typeOf(entry), this.types.get(typeOf(entry)) - 1);
      this.#kept.delete(entry.rev);
    }
  }

  entryAt(rev) {
    return this.entries[rev - this.firstRevision - 1];
  }

  /** The state after a commit that is held, or before the first one. At most STEP patches are
   * applied where it was looked at before; the first time all from the last kept state. */
  stateAt(rev) {
    const first = this.firstRevision;
    if (rev <= first) return this.#base?.state;
    let from = rev - ((rev - first) % STEP);
    while (from > first && !this.#kept.has(from)) from -= STEP;
    let state = from > first ? this.#kept.get(from) : this.#base.state;
    for (let next = from + 1; next <= rev; next++) {
      state = applyPatch(state, this.entryAt(next).patch);
      if ((next - first) % STEP === 0) this.#kept.set(next, state);
    }
    return state;
  }
}

/** What a commit is called in the list. */
export const typeOf = ({ action, travel }) => action?.type ?? (travel ? `⟲ ${travel.op}` : "?");

/** Who a commit is from. */
export function senderOf({ from }) {
  if (!from) return "store";
  if (from.effect !== undefined) return `effect ${from.effect}`;
  return from.user ? `${from.user} (${from.client})` : from.client;
}

/** Whether a patch changes what is at a place: a step above it, at it or below it. */
export function touches(patch, path) {
  return patch.some((step) => step.path === path || step.path.startsWith(`${path}/`) ||
    path.startsWith(`${step.path}/`) || step.path === "");
}
