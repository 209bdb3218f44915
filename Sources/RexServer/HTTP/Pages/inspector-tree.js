// A JSON value as a tree in which what a patch changed is marked.
import { h, setText, token } from "/dom.js";
import { makeVirtualList } from "/virtual-list.js";

const ROW = 24;
/** Members of one container that are shown; the rest is counted. */
const MEMBER_LIMIT = 1_000;
const PREVIEW = 200;

/** `blame(path)` is called for the button of a row. Returns `{ show(value, patch) }`. */
export function makeTree(scroller, { blame }) {
  const open = new Set([""]);
  let root;
  let marks = { changed: new Set(), above: new Set() };
  let rows = [];
  let chosen = 0;

  const list = makeVirtualList(scroller, {
    rowHeight: ROW,
    role: "treeitem",
    make: () => h("div", { class: "tree-row" }, h("span", { class: "twist", "aria-hidden": "true" }),
      h("span", { class: "name" }), h("span", { class: "value" }),
      h("button", { type: "button", class: "blame", tabIndex: -1,
        title: "The commits that touched this (Enter)" }, "who?")),
    fill,
    choose(index, event) {
      const row = rows[index];
      chosen = index;
      list.choose(index);
      list.reveal(index);
      if (event.target.closest?.(".blame")) return blame(row.path);
      if (event.type === "click" && row.isContainer) toggle(row);
    },
    key(event) {
      const row = rows[chosen];
      if (!row) return;
      if (event.key === "ArrowRight" && row.isContainer && !open.has(row.path)) toggle(row);
      else if (event.key === "ArrowLeft" && open.has(row.path)) toggle(row);
      else if (event.key === "ArrowLeft") {
        const parent = rows.findLastIndex(({ depth }, index) => index < chosen && depth < row.depth);
        if (parent >= 0) list.choose((chosen = parent));
      } else if (event.key === "Enter") blame(row.path);
      else return;
      event.preventDefault();
    },
  });

  function toggle({ path }) {
    if (!open.delete(path)) open.add(path);
    flatten();
  }

  function fill(element, row) {
    const [twist, name, value] = element.children;
    element.style.paddingInlineStart = `${0.5 + row.depth * 1}rem`;
    setText(twist, row.isContainer ? (open.has(row.path) ? "▾" : "▸") : "");
    setText(name, row.name);
    setText(value, row.text);
    value.dataset.kind = row.kind;
    element.classList.toggle("changed", row.mark === 2);
    element.classList.toggle("above", row.mark === 1);
    element.setAttribute("aria-level", row.depth + 1);
    element.setAttribute("aria-label",
      `${row.name} ${row.text}${row.mark === 2 ? ", changed" : ""}`);
    if (row.isContainer) element.setAttribute("aria-expanded", open.has(row.path));
    else element.removeAttribute("aria-expanded");
  }

  /** The rows that are open, as a list. O(rows). */
  function flatten() {
    rows = [];
    add("", "state", root, 0);
    chosen = Math.min(chosen, rows.length - 1);
    list.show(rows, chosen);
  }

  function add(path, name, value, depth, isNew = false) {
    const isContainer = value !== null && typeof value === "object";
    const isChanged = isNew || marks.changed.has(path);
    const mark = isChanged ? 2 : marks.above.has(path) ? 1 : 0;
    const isOpen = isContainer && open.has(path);
    rows.push({ path, name, depth, isContainer, mark, kind: kindOf(value),
      text: isOpen ? sizeOf(value) : preview(value) });
    if (!isOpen) return;
    const keys = Object.keys(value);
    for (const key of keys.slice(0, MEMBER_LIMIT)) {
      add(`${path}/${token(key)}`, key, value[key], depth + 1, isChanged);
    }
    if (keys.length > MEMBER_LIMIT) {
      rows.push({ path, name: "…", text: `${keys.length - MEMBER_LIMIT} more`, depth: depth + 1 });
    }
  }

  return {
    /** Shows a value, and marks what the patch that led to it touched. */
    show(value, patch = []) {
      root = value;
      marks = marksOf(patch);
      flatten();
    },
    /** Opens everything down to a place. */
    reveal(path) {
      const tokens = path.split("/");
      for (let count = 1; count <= tokens.length; count++) open.add(tokens.slice(0, count).join("/"));
      flatten();
      chosen = rows.findIndex((row) => row.path === path);
      list.choose(chosen);
      if (chosen >= 0) list.reveal(chosen);
    },
  };
}

/** The places that a patch changed, and those above them. */
function marksOf(patch) {
  const changed = new Set();
  const above = new Set();
  for (const { op, path } of patch) {
    const tokens = path.split("/");
    // What was removed is not there to be marked; its container is.
    if (op === "remove") tokens.pop();
    changed.add(tokens.join("/"));
    while (tokens.length > 1) {
      tokens.pop();
      above.add(tokens.join("/"));
    }
    if (op === "remove") {
      above.add(path.split("/").slice(0, -1).join("/"));
      changed.delete(path.split("/").slice(0, -1).join("/"));
    }
  }
  return { changed, above };
}

function kindOf(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function sizeOf(value) {
  const count = Object.keys(value).length;
  const word = Array.isArray(value) ? "item" : "member";
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** A value on one line, cut; the cost does not grow with the value. */
export function preview(value, depth = 2) {
  if (value === undefined) return "";
  if (value === null || typeof value !== "object") {
    const text = JSON.stringify(typeof value === "string" ? value.slice(0, PREVIEW) : value);
    return typeof value === "string" && value.length > PREVIEW ? `${text.slice(0, -1)}…"` : text;
  }
  const isList = Array.isArray(value);
  const keys = Object.keys(value);
  if (!keys.length) return isList ? "[]" : "{}";
  if (depth === 0) return isList ? `[${keys.length}]` : "{…}";
  const parts = keys.slice(0, 6).map((key) =>
    (isList ? "" : `${key}: `) + preview(value[key], depth - 1));
  if (keys.length > 6) parts.push("…");
  return isList ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`;
}
