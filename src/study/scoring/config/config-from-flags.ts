/**
 * What was given for the flags of a table (`study/flags.ts`), as keys of a study's config.
 *
 * @module
 */
import { positiveInteger, UsageError } from "../../../core/base/index.ts";
import { type FlagTable, flagOf, type StudyFlag } from "../../flags.ts";
import type { StudyConfig } from "./read-config.ts";

/**
 * @param options may hold others than those of the table
 * @throws UsageError when a value makes no sense by itself
 */
export function configFromFlags(table: FlagTable, options: object): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const [name, { as, key }] of Object.entries(table)) {
    const given = (options as Readonly<Record<string, unknown>>)[name];
    if (key === undefined || given === undefined) continue;
    const value = READ[as](flagOf(name), given as never);
    const [outer, inner] = key.split(".") as [string, string?];
    config[outer] = inner === undefined ? value : { ...(config[outer] as StudyConfig), [inner]: value };
  }
  return config;
}

const READ: Readonly<Record<StudyFlag["as"], (flag: string, given: never) => unknown>> = {
  switch: (_, given: boolean) => given,
  text: (_, given: string) => given,
  texts: (_, given: string | readonly string[]) => [given].flat(),
  named: parseNamed,
  count: positiveInteger,
  number: parseNumber,
};

/** @throws UsageError when the value of a flag is not a number */
export function parseNumber(flag: string, given: number | string): number {
  const value = typeof given === "string" && given.trim() === "" ? Number.NaN : Number(given);
  if (Number.isFinite(value)) return value;
  throw new UsageError(`${flag} must be a number, not "${given}"`);
}

/** `name=value` flags as an object. */
export function parseNamed(flag: string, given: string | readonly string[]): Record<string, string> {
  return Object.fromEntries(
    [given].flat().map((text) => {
      const at = text.indexOf("=");
      if (at <= 0) throw new UsageError(`${flag} must have the form name=value, not "${text}"`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
