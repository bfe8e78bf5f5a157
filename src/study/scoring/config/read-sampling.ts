/**
 * What policies should generate: responses to problems, and continuations of wrong texts.
 *
 * @module
 */
import { checkPlace } from "../continuations/places.ts";
import type { ContinueSpec, GenerateSpec } from "../study-spec.ts";
import type { ConfigFields } from "./fields.ts";

export const DEFAULT_SEED = 42;
const DEFAULT_TEMPERATURE = 1;
const DEFAULT_TOP_P = 1;
const DEFAULT_MAX_TOKENS = 1024;
/** Samples from each place of a text. */
const DEFAULT_CONTINUATIONS = 4;
const DEFAULT_PLACES = ["before_error", "after_error"];

/** Sampling parameters; also the defaults under `generation`. */
interface Drawing {
  readonly n: number | undefined;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  readonly seed: number;
}

function readDrawing(given: ConfigFields | undefined, defaults: Drawing): Drawing {
  return {
    n: given?.count("n") ?? defaults.n,
    temperature:
      given?.number("temperature", (value) => value >= 0, "a number from 0") ?? defaults.temperature,
    topP:
      given?.number("top_p", (value) => value > 0 && value <= 1, "above 0 and at most 1") ?? defaults.topP,
    maxTokens: given?.count("max_tokens") ?? defaults.maxTokens,
    seed: given?.count("seed", 0) ?? defaults.seed,
  };
}

/** The defaults for `generate` and `continue`. */
function readDefaults(fields: ConfigFields): Drawing {
  const given = fields.fields("generation");
  const defaults = readDrawing(given, {
    n: undefined,
    temperature: DEFAULT_TEMPERATURE,
    topP: DEFAULT_TOP_P,
    maxTokens: DEFAULT_MAX_TOKENS,
    seed: fields.count("seed", 0) ?? DEFAULT_SEED,
  });
  given?.finish();
  return defaults;
}

/** A list of several temperatures; undefined for a single one, or for none. */
function readTemperatures(given: ConfigFields): number[] | undefined {
  if (!Array.isArray(given.raw("temperature"))) return undefined;
  const all = given.list("temperature")!;
  if (all.length === 0 || !all.every((one) => typeof one === "number" && Number.isFinite(one) && one >= 0))
    throw given.wrong("temperature", "a number from 0, or a list of them");
  return [...new Set(all as readonly number[])];
}

export function readGenerate(
  fields: ConfigFields,
  names: readonly string[],
  reference: string,
): GenerateSpec | undefined {
  const defaults = readDefaults(fields);
  const all = fields.fields("generate");
  if (all === undefined) return undefined;
  const temperatures = readTemperatures(all);
  const given =
    temperatures === undefined ? all : fields.fields("generate", { temperature: temperatures[0] })!;
  const { n, ...drawing } = readDrawing(given, defaults);
  if (n === undefined) throw given.wrong("n", "the number of responses to each problem (--generate N)");
  const from = given.text("from") ?? reference;
  if (!names.includes(from)) throw given.wrong("from", `one of the policies ${names.join(", ")}`);
  given.finish();
  return { n, from, ...drawing, ...(temperatures !== undefined && { temperatures }) };
}

/** `true` means the places around the first error; otherwise a place or a list of places. */
export function readContinue(fields: ConfigFields): ContinueSpec | undefined {
  const value = fields.raw("continue");
  const defaults = readDefaults(fields);
  if (value === undefined || value === false) return undefined;
  const given = typeof value === "object" && !Array.isArray(value) ? fields.fields("continue") : undefined;
  const at = given === undefined ? (value === true ? undefined : fields.list("continue")) : given.list("at");
  const places = (at ?? DEFAULT_PLACES).map((place) => checkPlace(String(place)));
  const { n = DEFAULT_CONTINUATIONS, ...drawing } = readDrawing(given, defaults);
  given?.finish();
  return { places: [...new Set(places)], n, ...drawing };
}
