// A list of any length of which only the rows in sight are on the page.
import { h, onceAFrame } from "/dom.js";

/** Rows above and below what is in sight, so that a fast scroll shows no gap. */
const OVERSCAN = 8;

/**
 * `scroller` is an element with a height of its own; all rows are `rowHeight` high. `make()` makes
 * an empty row, `fill(row, item, index)` fills it; rows are used again for other items.
 * `choose(index)` is called for a click and for the arrow keys.
 *
 * The list is one stop of the Tab key; a screen reader hears the chosen row, its place and the
 * length of all.
 */
export function makeVirtualList(scroller, { rowHeight, role, make, fill, choose, key }) {
  const id = scroller.id;
  const space = h("div", { class: "rows", role: "presentation" });
  const rows = []; // on the page, by their order of making
  let items = [];
  let count = 0; // of those that were shown; the list may grow behind our back
  let chosen = -1;
  scroller.append(space);
  scroller.tabIndex = 0;
  scroller.setAttribute("role", role === "treeitem" ? "tree" : "listbox");

  function paint() {
    const { scrollTop, clientHeight } = scroller;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - OVERSCAN);
    const last = Math.min(count, Math.ceil((scrollTop + clientHeight) / rowHeight) + OVERSCAN);
    while (rows.length < last - first) {
      const row = make();
      row.setAttribute("role", role);
      space.append(row);
      rows.push(row);
    }
    // An item keeps its row while it is in sight: index modulo the number of rows.
    const used = new Set();
    for (let index = first; index < last; index++) {
      const row = rows[index % rows.length];
      used.add(row);
      row.hidden = false;
      row.index = index;
      row.id = `${id}-${index}`;
      row.style.transform = `translateY(${index * rowHeight}px)`;
      row.setAttribute("aria-setsize", count);
      row.setAttribute("aria-posinset", index + 1);
      row.setAttribute("aria-selected", index === chosen);
      fill(row, items[index], index);
    }
    for (const row of rows) if (!used.has(row)) row.hidden = true;
    if (chosen >= 0) scroller.setAttribute("aria-activedescendant", `${id}-${chosen}`);
    else scroller.removeAttribute("aria-activedescendant");
  }

  const later = onceAFrame(paint);
  scroller.addEventListener("scroll", later, { passive: true });
  new ResizeObserver(later).observe(scroller);
  scroller.addEventListener("click", (event) => {
    const row = event.target.closest(`[role=${role}]`);
    if (row) choose(row.index, event);
  });
  scroller.addEventListener("keydown", (event) => {
    const page = Math.floor(scroller.clientHeight / rowHeight);
    const to = { ArrowUp: chosen - 1, ArrowDown: chosen + 1, PageUp: chosen - page,
      PageDown: chosen + page, Home: 0, End: count - 1 }[event.key];
    if (to === undefined) return key?.(event);
    event.preventDefault();
    const index = Math.min(count - 1, Math.max(0, to));
    if (index < 0) return;
    chosen = index; // a key that is held down comes more often than a frame
    choose(index, event);
  });

  const list = {
    /** Shows other items. Who looks at the end stays there when items are added. O(rows in sight). */
    show(next, index = chosen) {
      const wasAtEnd = list.isAtEnd();
      items = next;
      count = items.length;
      chosen = index;
      space.style.height = `${count * rowHeight}px`;
      if (wasAtEnd && list.follows) scroller.scrollTop = scroller.scrollHeight;
      later();
    },
    /** Whether the list goes with new items while its end is in sight. */
    follows: false,
    isAtEnd: () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < rowHeight,
    choose(index) {
      chosen = index;
      later();
    },
    /** Scrolls as little as it takes to see a row. */
    reveal(index) {
      const top = index * rowHeight;
      const { scrollTop, clientHeight } = scroller;
      if (top < scrollTop) scroller.scrollTop = top;
      else if (top + rowHeight > scrollTop + clientHeight) {
        scroller.scrollTop = top + rowHeight - clientHeight;
      }
    },
  };
  return list;
}
