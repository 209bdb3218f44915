// The user's own graph (rooms → room → members) as screens, and as entries of the browser's history,
// so that Back pops. The store's graph is the truth; until it has answered, what was asked counts.

const SCREENS = ["rooms", "room", "members"];

/**
 * `stored()` is the graph's path in the state (nothing while there is none), `dispatch(action)`
 * sends a GraphAction, `changed()` is called when another screen is to be seen.
 */
export function makeScreens({ stored, dispatch, changed }) {
  let wanted = null; // the path that was asked for and not yet answered
  let asked = 0;
  let isMoving = false; // the browser is on its way to another entry

  // Of an entry that was there before a reload, its depth is known.
  let last = SCREENS.slice(0, (history.state?.depth ?? 0) + 1);
  const known = () => (last = stored() ?? last);
  const path = () => wanted ?? known();
  const depth = () => path().length - 1;

  async function go(target) {
    const from = path();
    if (target.length === from.length) return;
    const mine = ++asked;
    wanted = target;
    changed();
    const steps = target.length < from.length
      ? [{ type: "popTo", payload: target.at(-1) }]
      : target.slice(from.length).map((screen) => ({ type: "push", payload: screen }));
    await Promise.allSettled(steps.map(dispatch));
    if (mine !== asked) return;
    wanted = null;
    changed();
  }

  window.addEventListener("popstate", (event) => {
    isMoving = false;
    if (!event.state) return; // another #room: see `hashchange`
    go(SCREENS.slice(0, event.state.depth + 1));
  });

  return {
    screen: () => path().at(-1),
    /** The path as the store last said it. */
    known,
    open: (screen) => go(SCREENS.slice(0, SCREENS.indexOf(screen) + 1)),
    /** As the browser's Back, which it uses where it can. */
    back() {
      if (history.state?.depth > 0) history.back();
      else go(path().slice(0, -1));
    },
    /** Brings the browser's history to the graph. */
    sync() {
      if (isMoving || !stored()) return;
      const now = history.state?.depth ?? 0;
      if (!history.state) history.replaceState({ depth: 0 }, "");
      for (let next = now + 1; next <= depth(); next++) history.pushState({ depth: next }, "");
      if (depth() < now) {
        isMoving = true;
        history.go(depth() - now);
      }
    },
  };
}
