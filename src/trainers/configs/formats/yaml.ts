import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type YAMLMap,
} from "yaml";
import { EmptyInputError, FormatError, LimitError } from "../../../core/base/index.ts";
import {
  type ConfigDocument,
  type Entry,
  normalizedPath,
  numberList,
  plainValue,
} from "../../shared/config-entry.ts";

/** More settings than any trainer has; a file of nested aliases grows past it at once. */
const MOST_ENTRIES = 20_000;
const DEEPEST = 64;
/**
 * Values visited, with those of merged maps counted at each use: maps that merge each other double with each level.
 */
const MOST_VISITS = 200_000;

/**
 * YAML as PyYAML and OmegaConf read it (version 1.1, the last of two equal keys wins), one config per document. JSON
 * reads the same way and keeps its lines.
 *
 * @throws FormatError if it does not parse, with line and column.
 */
export function readYaml(text: string, file: string, format: "yaml" | "json"): ConfigDocument[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    version: "1.1",
    merge: true,
    uniqueKeys: false,
    logLevel: "error",
  });
  if (!Array.isArray(documents)) throw new EmptyInputError("the config is empty", { at: { file } });
  const several = documents.length > 1;
  return documents.map((document, index) => {
    const [error] = document.errors;
    if (error) throw syntaxError(error.message, lines.linePos(error.pos[0]), text, file);
    const walk = {
      document,
      lines,
      text,
      file,
      entries: [] as Entry[],
      visits: { count: 0 },
      targets: new Map(),
    };
    visit(walk, document.contents, [], [], 0);
    return {
      format,
      name: several ? `document ${index + 1}` : "",
      line: lines.linePos(document.contents?.range?.[0] ?? 0).line,
      entries: walk.entries,
    };
  });
}

interface Walk {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  readonly text: string;
  readonly file: string;
  readonly entries: Entry[];
  /** Values visited in the document, for all lists of entries. */
  readonly visits: { count: number };
  /** Targets of aliases, cached because the parser searches the whole document each time. */
  readonly targets: Map<Alias, Node | undefined>;
}

function resolveTarget({ document, targets }: Walk, alias: Alias): Node | undefined {
  if (!targets.has(alias)) targets.set(alias, alias.resolve(document) as Node | undefined);
  return targets.get(alias);
}

type Position = { readonly line: number };

function visit(
  walk: Walk,
  node: Node | null | undefined,
  path: readonly string[],
  keys: readonly string[],
  depth: number,
  position?: Position,
): void {
  const { entries, file } = walk;
  if (depth > DEEPEST)
    throw new LimitError(`the config nests deeper than ${DEEPEST} levels`, { at: { file } });
  if (++walk.visits.count > MOST_VISITS) {
    throw new LimitError(`the config unfolds to more than ${MOST_VISITS} values`, {
      at: { file },
      likely: "aliases or merge keys (<<) that refer to each other, crafted to exhaust the reader",
    });
  }
  const resolved = isAlias(node) ? resolveTarget(walk, node) : node;
  if (isMap(resolved)) {
    visitMap(walk, resolved, path, keys, depth, position);
    return;
  }
  if (entries.length >= MOST_ENTRIES) {
    throw new LimitError(`the config has more than ${MOST_ENTRIES} settings`, {
      at: { file },
      likely: "aliases that hold aliases, or a data file instead of a config",
    });
  }
  if (isSeq(resolved)) {
    const items = resolved.items as (Node | null)[];
    const numbers = numberList(items.map((item) => (isScalar(item) ? readScalar(item).value : undefined)));
    if (numbers || items.length === 0) {
      entries.push(buildEntry(walk, resolved, path, keys, position, { value: numbers }));
    } else
      for (const [i, item] of items.entries()) {
        visit(walk, item, [...path, String(i)], [...keys, String(i)], depth + 1);
      }
    return;
  }
  if (isScalar(resolved))
    entries.push(buildEntry(walk, resolved, path, keys, position, readScalar(resolved)));
  else if (path.length > 0) {
    entries.push(buildEntry(walk, null, path, keys, position, { value: null, text: "" }));
  }
}

/** Keys of the map itself take precedence over those merged with `<<`, wherever that is. */
function visitMap(
  walk: Walk,
  map: YAMLMap,
  path: readonly string[],
  keys: readonly string[],
  depth: number,
  position: Position | undefined,
): void {
  const merged: Entry[] = [];
  const from = walk.entries.length;
  for (const pair of map.items) {
    const name = isScalar(pair.key) ? (pair.key.source ?? String(pair.key.value)) : "";
    const range = (pair.key as Node | null)?.range;
    const at = range ? walk.lines.linePos(range[0]) : position;
    const child = pair.value as Node | null;
    if (name === "<<") visit({ ...walk, entries: merged }, child, path, keys, depth + 1, at);
    else visit(walk, child, [...path, ...normalizedPath(name)], [...keys, name], depth + 1, at);
  }
  const own = new Set(walk.entries.slice(from).map((entry) => entry.path.join(".")));
  walk.entries.push(...merged.filter((entry) => !own.has(entry.path.join("."))));
}

interface Scalar {
  readonly value: Entry["value"];
  readonly text?: string;
  readonly quoted?: boolean;
  readonly unsure?: string;
}

function readScalar(node: { value: unknown; source?: string; type?: string }): Scalar {
  const quoted = node.type !== undefined && node.type !== "PLAIN";
  const text = node.source ?? String(node.value ?? "");
  if (/\$\{[^}]*\}/.test(text)) {
    return { value: undefined, text, quoted, unsure: "an interpolation, known only when the run starts" };
  }
  const { value } = node;
  if (quoted) return { value: text, text, quoted };
  if (typeof value === "boolean" || value === null) return { value, text, quoted };
  return { value: typeof value === "number" && !text.includes("_") ? value : plainValue(text), text, quoted };
}

function buildEntry(
  { lines, text }: Walk,
  node: Node | null,
  path: readonly string[],
  keys: readonly string[],
  position: Position | undefined,
  scalar: Scalar,
): Entry {
  const line = position?.line ?? lines.linePos(node?.range?.[0] ?? 0).line;
  const range = node?.range;
  return {
    path,
    key: keys.join("."),
    value: scalar.value,
    text: scalar.text ?? (range ? text.slice(range[0], range[1]) : ""),
    quoted: scalar.quoted ?? false,
    line,
    ...(scalar.unsure !== undefined && { unsure: scalar.unsure }),
  };
}

function syntaxError(
  message: string,
  at: { line: number; col: number },
  text: string,
  file: string,
): FormatError {
  const [what] = message.split("\n");
  const line = text.split("\n")[at.line - 1] ?? "";
  const likely = line.includes("\t")
    ? "a tab where YAML wants spaces"
    : text.trimStart().startsWith("{")
      ? "JSON that is cut off, or has a missing comma or quote"
      : "indentation that does not fit the lines above, an unclosed quote, or a colon without a space after it";
  return new FormatError(
    `cannot parse the config: ${(what ?? message).replace(/:$/, "")} (column ${at.col})`,
    {
      at: { file, line: at.line },
      likely,
      hint: `look at: ${line.trim().slice(0, 80)}`,
    },
  );
}
