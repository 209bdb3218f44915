// What both pages make their elements with. Text is never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element. Attributes: `class`, `on…` (a listener), a property such as `hidden` or `value`, or
 * any other attribute; null and false leave one out. Children: nodes and texts; null is left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A member by a name that somebody made up: `constructor` is one only where it was put in. */
export const own = (object, name) =>
  (object && Object.hasOwn(object, name) ? object[name] : undefined);

/** What stands after # in the address; empty where it is malformed. */
export function nameInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

/** Reads (with two arguments) or keeps a text in `localStorage` or `sessionStorage`. Where a browser
 * allows none, or has no room, nothing is kept. */
export function memory(place, name, text) {
  try {
    if (text === undefined) return window[place].getItem(name);
    window[place].setItem(name, text);
  } catch {
    return null;
  }
}

/** A drawing of the page's sprite (`<symbol id="i-…">`), which says nothing to a screen reader. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A button with a drawing and a name. */
export function iconButton(name, label, onclick, extra = {}) {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label,
    onclick, ...extra }, icon(name));
}

/** Sets the text of an element where it is another one. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes the children of `parent`, which has no others, the elements of `items`, in this order, each
 * kept while its key is there. `make(item)` makes one, `update(element, item, index)` brings it up
 * to date. What has the focus keeps it; where it goes away, the nearest that stays gets it.
 */
export function keyed(parent, items, keyOf, make, update) {
  const known = (parent.keyedChildren ??= new Map());
  const keys = items.map(keyOf);
  const wanted = new Set(keys);
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const near = focused && [...parent.children].findIndex((child) => child.contains(focused));
  for (const [key, element] of known) {
    if (wanted.has(key)) continue;
    known.delete(key);
    element.remove();
  }
  let place = parent.firstChild;
  items.forEach((item, index) => {
    let element = known.get(keys[index]);
    if (!element) known.set(keys[index], (element = make(item)));
    update?.(element, item, index);
    if (element === place) place = place.nextSibling;
    else parent.insertBefore(element, place);
  });
  if (!focused || focused === document.activeElement) return;
  if (focused.isConnected) return focused.focus({ preventScroll: true });
  const next = parent.children[Math.min(near, parent.children.length - 1)];
  (next?.matches(FOCUSABLE) ? next : next?.querySelector(FOCUSABLE))?.focus();
}

const FOCUSABLE = "button, [tabindex]";

/** Runs what may take away or hide the element that has the focus; then the first visible one of
 * `heirs(before)` has it. */
export function keepFocus(body, heirs) {
  const before = document.activeElement;
  body();
  const now = document.activeElement;
  if (before === document.body || (now !== document.body && isUsable(now))) return;
  heirs(before).find((element) => element && isUsable(element))?.focus();
}

const isUsable = (element) =>
  !element.disabled && element.checkVisibility({ checkVisibilityCSS: true });

/** A hue for a name, the same for everybody. */
export function hueOf(name) {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) % 360;
  return (hash * 137) % 360; // names that are alike get hues that are not
}

/** The first letters of a name on its colour. */
export function avatar(name, extra = "") {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const letters = words.length > 1 ? first(words[0]) + first(words[1]) : first(name);
  const element = h("span", { class: `avatar ${extra}`, "aria-hidden": "true" }, letters);
  element.style.setProperty("--hue", hueOf(name));
  return element;
}

const first = (word) => [...word][0].toUpperCase();

const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
const longDay = new Intl.DateTimeFormat([], { weekday: "long", day: "numeric", month: "long" });

export const timeText = (time) => clock.format(new Date(time));

/** "Today", "Yesterday", or the day. */
export function dayText(time) {
  const day = new Date(time).toDateString();
  const now = new Date();
  if (day === now.toDateString()) return "Today";
  now.setDate(now.getDate() - 1);
  return day === now.toDateString() ? "Yesterday" : longDay.format(new Date(time));
}

/** Calls `body` once before the next frame, however often it is asked; also in a hidden window,
 * where there are no frames. */
export function onceAFrame(body) {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    const run = () => {
      isWaiting = false;
      body();
    };
    if (document.hidden) setTimeout(run, 100);
    else requestAnimationFrame(run);
  };
}

/** A token of a JSON Pointer. */
export const token = (key) => key.replace(/~/g, "~0").replace(/\//g, "~1");
