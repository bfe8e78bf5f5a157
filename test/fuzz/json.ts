/**
 * JSON and JSONL: rows of real dumps with keys and values exchanged; sometimes the text only looks like JSON.
 *
 * @module
 */
import { NAMES, NUMBERS, type Random, TEXTS } from "./random.ts";

/** Text that goes into the file unchanged. */
class Raw {
  constructor(readonly text: string) {}
}

export type Node = null | boolean | number | string | Raw | Node[] | Entries;
/** Pairs instead of an object: keys may repeat, and `__proto__` is one. */
export class Entries {
  constructor(readonly pairs: [string, Node][]) {}
}

const RAW = [
  "1e400",
  "-1e400",
  "-0",
  "NaN",
  "-Infinity",
  "Infinity",
  "nan",
  '"\\ud800"',
  '"\\udc00\\ud800"',
  "1".repeat(400),
  `0.${"3".repeat(2000)}`,
  `1e${"9".repeat(30)}`,
  "undefined",
  "'x'",
  "[,]",
  "{,}",
  '"\\x"',
  "tru",
  "01",
  "--1",
  "1.",
  ".5",
  "\u0000",
  "[".repeat(300),
] as const;

export function toNode(value: unknown): Node {
  if (Array.isArray(value)) return value.map(toNode);
  if (typeof value === "object" && value !== null) {
    return new Entries(Object.entries(value).map(([name, item]) => [name, toNode(item)]));
  }
  return value as Node;
}

export function print(node: Node): string {
  if (node instanceof Raw) return node.text;
  if (Array.isArray(node)) return `[${node.map(print).join(",")}]`;
  if (node instanceof Entries) {
    return `{${node.pairs.map(([name, item]) => `${JSON.stringify(name)}:${print(item)}`).join(",")}}`;
  }
  if (typeof node === "number" && !Number.isFinite(node)) return Number.isNaN(node) ? "NaN" : `${node}`;
  return JSON.stringify(node);
}

function strange(random: Random): Node {
  switch (random.below(8)) {
    case 0:
      return random.pick(NUMBERS);
    case 1:
      return random.pick(TEXTS);
    case 2:
      return new Raw(random.pick(RAW));
    case 3:
      return random.pick([null, true, false]);
    case 4:
      return Array.from({ length: random.below(5) }, () => random.pick(NUMBERS));
    case 5:
      return [[], [[]], [null]];
    case 6:
      return new Entries([[random.pick(NAMES), random.pick(TEXTS)]]);
    default: {
      let deep: Node = 1;
      for (let i = random.below(300); i > 0; i--)
        deep = random.chance(0.5) ? [deep] : new Entries([["x", deep]]);
      return deep;
    }
  }
}

/** The tree with one place in it changed. */
export function mutate(random: Random, node: Node): Node {
  if (random.chance(0.08)) return strange(random);
  if (Array.isArray(node) && node.length > 0) return mutateList(random, node);
  if (node instanceof Entries && node.pairs.length > 0) return mutateEntries(random, node);
  return random.chance(0.5) ? strange(random) : node;
}

function mutateList(random: Random, node: readonly Node[]): Node {
  const at = random.below(node.length);
  switch (random.below(6)) {
    case 0:
      return node.toSpliced(at, 1);
    case 1:
      return node.toSpliced(at, 0, strange(random));
    case 2:
      return [...node, ...node];
    case 3:
      return node.slice(0, at);
    default:
      return node.with(at, mutate(random, node[at]!));
  }
}

function mutateEntries(random: Random, { pairs }: Entries): Node {
  const at = random.below(pairs.length);
  const [name, value] = pairs[at]!;
  switch (random.below(7)) {
    case 0:
      return new Entries(pairs.toSpliced(at, 1));
    case 1:
      return new Entries([...pairs, [random.pick(NAMES), strange(random)]]);
    case 2:
      return new Entries([...pairs, [name, strange(random)]]);
    case 3:
      return new Entries(pairs.with(at, [random.pick(NAMES), value]));
    default:
      return new Entries(pairs.with(at, [name, mutate(random, value)]));
  }
}

/** Lines of a file with some of them changed. */
export function mutateLines(random: Random, lines: readonly string[]): string {
  const changed = lines.slice(0, 12).map((line) => {
    if (random.chance(0.3)) return line;
    let node: Node;
    try {
      node = toNode(JSON.parse(line));
    } catch {
      return line;
    }
    for (let i = 1 + random.below(3); i > 0; i--) node = mutate(random, node);
    return print(node);
  });
  return `${changed.join(random.chance(0.9) ? "\n" : random.pick(["\r\n", "\n\n", " ", ",\n"]))}\n`;
}
