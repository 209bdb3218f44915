// Random JSON and patches that fit it, the same in each run.

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seeded(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const NAMES = ["a", "b", "c/d", "e~f", "", "0", "x y"];
const pick = (random, list) => list[Math.floor(random() * list.length)];

export function randomValue(random, depth) {
  const kind = random();
  if (depth === 0 || kind < 0.3) return pick(random, [null, true, 0, -1.5, "", "text", "ü"]);
  const size = Math.floor(random() * 5);
  if (kind < 0.6) return Array.from({ length: size }, () => randomValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: size }, () => [pick(random, NAMES), randomValue(random, depth - 1)]));
}

/** One to six steps, each of which fits the value that those before it leave. */
export function randomPatch(random, before) {
  let value = structuredClone(before);
  const patch = [];
  for (let left = 1 + Math.floor(random() * 6); left > 0; left--) {
    const step = randomStep(random, value);
    patch.push(step);
    value = naiveApply(value, [structuredClone(step)]);
  }
  return structuredClone(patch);
}

function randomStep(random, root) {
  let path = "";
  let value = root;
  for (;;) {
    const isContainer = value !== null && typeof value === "object";
    if (!isContainer || random() < 0.1) {
      if (path || random() < 0.3 || !isContainer) {
        return { op: "replace", path, value: randomValue(random, 2) };
      }
    }
    const keys = Object.keys(value);
    if (!keys.length || random() < 0.3) {
      const places = Array.isArray(value) ? [...keys, String(keys.length), "-"] : NAMES;
      return { op: "add", path: `${path}/${escape(pick(random, places))}`,
        value: randomValue(random, 2) };
    }
    const key = pick(random, keys);
    path += `/${escape(key)}`;
    if (random() < 0.3) return { op: "remove", path };
    value = value[key];
  }
}

const escape = (key) => key.replace(/~/g, "~0").replace(/\//g, "~1");

/** RFC 6902 in the plainest way: in place, one step after the other. */
export function naiveApply(root, patch) {
  const holder = { root };
  for (const { op, path, value } of patch) {
    const keys = ["root", ...path.split("/").slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))];
    const last = keys.pop();
    const parent = keys.reduce((container, key) => container[key], holder);
    const copy = structuredClone(value);
    if (!Array.isArray(parent)) {
      if (op === "remove") delete parent[last];
      else parent[last] = copy;
    } else if (op === "add") parent.splice(last === "-" ? parent.length : +last, 0, copy);
    else if (op === "remove") parent.splice(+last, 1);
    else parent[+last] = copy;
  }
  return holder.root;
}
