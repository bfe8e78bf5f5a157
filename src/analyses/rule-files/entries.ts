import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import {
  EmptyInputError,
  FormatError,
  isLogratioError,
  LimitError,
  SchemaError,
} from "../../core/base/index.ts";

/** People read rules and baselines: a larger file is something else. */
const MOST_CHARACTERS = 4 << 20;

interface Source {
  readonly file: string;
  readonly lines: LineCounter;
}

/** A value with its place in the file, for messages. */
export class Entry {
  /** The path of keys that leads to it. */
  readonly name: string;
  readonly line: number;
  readonly #node: Node | null;
  readonly #source: Source;

  constructor(name: string, node: Node | null, line: number, source: Source) {
    this.name = name;
    this.line = line;
    this.#node = node;
    this.#source = source;
  }

  /** @throws SchemaError that names the entry and its line */
  refuse(what: string, hint?: string): never {
    throw new SchemaError(`${this.name} ${what}`, {
      at: { file: this.#source.file, line: this.line },
      ...(hint !== undefined && { hint }),
    });
  }

  /** Runs a check that may refuse the value, and adds the place to its message. */
  within<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!isLogratioError(error, "UsageError")) throw error;
      throw new SchemaError(`${this.name}: ${error.message}`, {
        at: { file: this.#source.file, line: this.line },
        ...(error.hint !== undefined && { hint: error.hint }),
      });
    }
  }

  /** Its form in the file. */
  get form(): "map" | "list" | "value" {
    if (isMap(this.#node)) return "map";
    return isSeq(this.#node) ? "list" : "value";
  }

  #scalar(): unknown {
    return isScalar(this.#node) ? this.#node.value : undefined;
  }

  text(): string {
    const value = this.#scalar();
    if (typeof value === "string" && value.trim() !== "") return value;
    return this.refuse("must be a text");
  }

  /** A finite number. */
  number(): number {
    const value = this.#scalar();
    if (typeof value === "number" && Number.isFinite(value)) return value;
    return this.refuse("must be a finite number");
  }

  numberOrNull(): number | null {
    return this.#scalar() === null ? null : this.number();
  }

  textOrNull(): string | null {
    return this.#scalar() === null ? null : this.text();
  }

  list(): Entry[] {
    const node = isSeq(this.#node) ? (this.#node as YAMLSeq<Node | null>) : this.refuse("must be a list");
    return node.items.map(
      (item, at) =>
        new Entry(`${this.name}[${at}]`, item, findLine(item, this.#source) ?? this.line, this.#source),
    );
  }

  map(name = this.name): EntryMap {
    if (!isMap(this.#node)) return this.refuse("must be a map of keys and values");
    return new EntryMap(name, this.#node as YAMLMap<Node, Node | null>, this.line, this.#source);
  }
}

/** A map whose keys are taken one by one; {@link end} refuses the remaining ones. */
export class EntryMap {
  readonly name: string;
  readonly line: number;
  readonly #source: Source;
  readonly #left = new Map<string, Entry>();
  readonly #known: string[] = [];

  constructor(name: string, node: YAMLMap<Node, Node | null>, line: number, source: Source) {
    this.name = name;
    this.line = line;
    this.#source = source;
    for (const { key, value } of node.items) {
      const text = isScalar(key) ? String(key.value) : "";
      const at = findLine(key, source) ?? line;
      this.#left.set(text, new Entry(name === "" ? text : `${name}.${text}`, value, at, source));
    }
  }

  take(key: string): Entry | undefined {
    this.#known.push(key);
    const found = this.#left.get(key);
    this.#left.delete(key);
    return found;
  }

  /** @throws SchemaError if the map has no such key */
  need(key: string): Entry {
    const found = this.take(key);
    if (found !== undefined) return found;
    throw new SchemaError(`${this.name === "" ? "the file" : this.name} has no "${key}"`, {
      at: { file: this.#source.file, line: this.line },
    });
  }

  /** All remaining keys, in order, for maps whose keys are names. */
  takeRest(): [key: string, entry: Entry][] {
    const rest = [...this.#left];
    this.#left.clear();
    return rest;
  }

  /** @throws SchemaError naming the first key that was not taken */
  end(): void {
    const [first] = this.#left.values();
    if (first !== undefined) first.refuse("is not a known key", `known are ${this.#known.join(", ")}`);
  }
}

function findLine(node: Node | null, { lines }: Source): number | undefined {
  return node?.range ? lines.linePos(node.range[0]).line : undefined;
}

/**
 * Parses one YAML or JSON document whose top level is a map.
 *
 * @throws FormatError, EmptyInputError, LimitError or SchemaError with the line
 */
export function openEntries(text: string, file: string): EntryMap {
  if (text.length > MOST_CHARACTERS)
    throw new LimitError(`more than ${MOST_CHARACTERS / 2 ** 20} MiB of text: not rules or a baseline`, {
      at: { file },
    });
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: "1.2",
    logLevel: "error",
    merge: false,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const [what = ""] = error.message.split("\n");
    throw new FormatError(`cannot parse the file: ${what.replace(/:$/, "")}`, {
      at: { file, line: lines.linePos(error.pos[0]).line },
      likely: "indentation that does not fit, a key given twice, or an unclosed quote",
    });
  }
  if (document.contents === null) throw new EmptyInputError("the file is empty", { at: { file } });
  const source = { file, lines };
  visit(document, {
    Alias(_, alias) {
      const line = findLine(alias, source);
      throw new SchemaError("aliases (*name) are not allowed here", {
        at: { file, ...(line !== undefined && { line }) },
        hint: "write the value out",
      });
    },
  });
  return new Entry("the file", document.contents, 1, source).map("");
}
