/**
 * Reads values of a config by name, with messages that name their place in the file.
 *
 * @module
 */
import { isObject, UsageError } from "../../../core/base/index.ts";

/** An object of a config. Reading a value marks its key as known; `finish` refuses unknown keys. */
export class ConfigFields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #file: string | undefined;
  readonly #known = new Set<string>();

  constructor(value: unknown, path: string, file: string | undefined) {
    this.#path = path;
    this.#file = file;
    if (!isObject(value)) throw this.#wrong("", "keys and values", value);
    this.#values = value;
  }

  get names(): string[] {
    return Object.keys(this.#values);
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  /** The unchanged value; null counts as absent. */
  raw(name: string): unknown {
    this.#known.add(name);
    return this.#values[name] ?? undefined;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "string") return value;
    throw this.#wrong(name, "text", value);
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.#wrong(name, "true or false", value);
  }

  number(
    name: string,
    allowed: (value: number) => boolean = () => true,
    what = "a number",
  ): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isFinite(value) && allowed(value)) return value;
    throw this.#wrong(name, what, value);
  }

  count(name: string, least = 1): number | undefined {
    return this.number(
      name,
      (value) => Number.isInteger(value) && value >= least,
      `a whole number from ${least}`,
    );
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.raw(name);
    if (value === undefined || choices.includes(value as T)) return value as T | undefined;
    throw this.#wrong(name, `one of ${choices.join(", ")}`, value);
  }

  choices<T extends string>(name: string, choices: readonly T[]): readonly T[] | undefined {
    const values = this.texts(name);
    const wrong = values?.find((value) => !choices.includes(value as T));
    if (wrong !== undefined) throw this.#wrong(name, `some of ${choices.join(", ")}`, wrong);
    return values as readonly T[] | undefined;
  }

  /** A list; a single value counts as a list of one. */
  list(name: string): readonly unknown[] | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    return Array.isArray(value) ? value : [value];
  }

  texts(name: string): readonly string[] | undefined {
    const values = this.list(name);
    const wrong = values?.find((value) => typeof value !== "string");
    if (wrong !== undefined) throw this.#wrong(name, "a list of texts", wrong);
    return values as readonly string[] | undefined;
  }

  /** @param instead values that replace some of its own */
  fields(name: string, instead: Readonly<Record<string, unknown>> = {}): ConfigFields | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const fields = new ConfigFields(value, this.#at(name), this.#file);
    return Object.keys(instead).length === 0
      ? fields
      : new ConfigFields({ ...fields.#values, ...instead }, this.#at(name), this.#file);
  }

  /** An object of texts. */
  textMap(name: string): Record<string, string> | undefined {
    const fields = this.fields(name);
    return fields && Object.fromEntries(fields.names.map((key) => [key, fields.text(key) ?? ""]));
  }

  /** An object whose values are among the choices. */
  choiceMap<T extends string>(name: string, choices: readonly T[]): Record<string, T> | undefined {
    const fields = this.fields(name);
    return (
      fields &&
      Object.fromEntries(
        fields.names.map((key): [string, T] => {
          const value = fields.choice(key, choices);
          if (value === undefined) throw fields.wrong(key, `one of ${choices.join(", ")}`);
          return [key, value];
        }),
      )
    );
  }

  /** @throws UsageError when a key has not been read by anything */
  finish(): void {
    const unknown = this.names.find((name) => !this.#known.has(name));
    if (unknown === undefined) return;
    throw new UsageError(`${this.#where()}unknown option ${this.#at(unknown)}`, {
      hint: `options ${this.#path === "" ? "of a study" : `of ${this.#path}`}: ${[...this.#known].sort().join(", ")}`,
    });
  }

  /** An error for callers that check a value themselves. */
  wrong(name: string, wanted: string): UsageError {
    return this.#wrong(name, wanted, this.#values[name]);
  }

  #wrong(name: string, wanted: string, value: unknown): UsageError {
    const found = JSON.stringify(value)?.slice(0, 60) ?? "nothing";
    return new UsageError(`${this.#where()}${this.#at(name) || "a study"} must be ${wanted}, not ${found}`);
  }

  #at(name: string): string {
    return [this.#path, name].filter((part) => part !== "").join(".");
  }

  #where(): string {
    return this.#file === undefined ? "" : `${this.#file}: `;
  }
}
