import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LAB } from "../../../../test/support/shared-data.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { Tensor, TreeDocument, TreeValue } from "../../io/columns.ts";
import { isTensor } from "../../io/tree-guards.ts";

/** The content of a fixture's `.json`: the values that a producer put in, or the error that its file must raise. */
export interface Expected {
  readonly root?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly options?: object;
  readonly error?: { readonly tag: string; readonly message: string; readonly hint?: string };
}

export interface Fixture {
  readonly name: string;
  readonly path: string;
  readonly expected: Expected;
}

/** The files of `test/fixtures/<folder>`, each with the `.json` beside it. */
export function fixtures(folder: string): Fixture[] {
  const directory = fileURLToPath(new URL(`../../../../test/fixtures/${folder}`, import.meta.url));
  return readdirSync(directory)
    .filter((file) => extname(file) !== ".json" && extname(file) !== "")
    .map((file) => {
      const path = join(directory, file);
      const expected = readFileSync(`${path.slice(0, -extname(path).length)}.json`, "utf8");
      return { name: basename(file), path, expected: JSON.parse(expected) as Expected };
    });
}

/** How the rows of a tensor are cut up: whole, one by one, or in slices of these sizes in turn. */
export type Slicing = "whole" | "rows" | readonly number[];

/** The values of a document in the form of the fixtures' `.json`. */
export async function printRoot(document: TreeDocument, slicing: Slicing): Promise<Record<string, unknown>> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document.root)) define(root, name, await print(value, slicing));
  return root;
}

async function print(value: TreeValue, slicing: Slicing): Promise<unknown> {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return printNumber(value);
  if (value instanceof Uint8Array) return { bytes: Array.from(value) };
  if (ArrayBuffer.isView(value)) return { [value.constructor.name]: Array.from(value, printNumber) };
  if (Array.isArray(value)) return Promise.all(value.map((item: TreeValue) => print(item, slicing)));
  if (isTensor(value)) {
    return { tensor: value.dtype, shape: [...value.shape], values: await printElements(value, slicing) };
  }
  const map: Record<string, unknown> = {};
  if (Object.getPrototypeOf(value) === null) {
    for (const [name, item] of Object.entries(value))
      define(map, name, await print(item as TreeValue, slicing));
    return { map };
  }
  const { className, args, state, items } = value as Extract<TreeValue, { kind: "object" }>;
  map.object = className;
  map.args = await Promise.all(args.map((arg) => print(arg, slicing)));
  map.state = state === undefined ? null : await print(state, slicing);
  if (items !== undefined) map.items = await print(items, slicing);
  return map;
}

async function printElements(tensor: Tensor, slicing: Slicing): Promise<unknown[]> {
  const rows = tensor.shape[0] ?? 1;
  const elements: unknown[] = [];
  const sizes = slicing === "whole" ? [rows] : slicing === "rows" ? [1] : slicing;
  let start = 0;
  for (let i = 0; start < rows; i++) {
    const end = Math.min(rows, start + sizes[i % sizes.length]!);
    if (tensor.readStrings !== undefined) elements.push(...(await tensor.readStrings(start, end)));
    else elements.push(...Array.from(await tensor.readRows(start, end), printNumber));
    start = end;
  }
  return elements;
}

function printNumber(value: number): number | string {
  return Number.isFinite(value) && !Object.is(value, -0)
    ? value
    : Object.is(value, -0)
      ? "-0"
      : String(value);
}

/** Assigning to `__proto__` would set the prototype instead. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The path of a large recording, if it lies beside the checkout. */
export function labFile(path: string): string | undefined {
  const file = `${LAB}${path}`;
  return existsSync(file) ? file : undefined;
}

/** Opens a document, passes it on and closes it. */
export async function withDocument<T>(
  opening: Promise<TreeDocument>,
  use: (document: TreeDocument) => Promise<T>,
): Promise<T> {
  const document = await opening;
  try {
    return await use(document);
  } finally {
    await document.close();
  }
}

export type Opener = (source: ByteSource, options?: object) => Promise<TreeDocument>;
