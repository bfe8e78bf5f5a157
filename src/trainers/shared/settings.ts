import { UsageError } from "../../core/base/index.ts";
import type { Parameter, Preset, Setting, Settings } from "./preset.ts";

/**
 * Fills in a preset's defaults for missing settings, and checks names and kinds of values.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { completeSettings, presetNamed } from "logratio/corrections";
 *
 * const settings = completeSettings(presetNamed("verl"), { rollout_is: "token" });
 * assert.equal(settings.rollout_is, "token");
 * assert(settings.rollout_is_threshold !== undefined); // verl's default
 * ```
 *
 * @param given settings under the trainer's names; bounds in the trainer's unit and order
 * @returns a value for every parameter of the preset
 * @throws UsageError for an unknown name, or a value of the wrong kind
 */
export function completeSettings(preset: Preset, given: Settings): Settings {
  for (const name of Object.keys(given)) {
    if (preset.parameters.some((parameter) => parameter.name === name)) continue;
    throw new UsageError(`${preset.name} has no setting ${name}`, {
      hint: `its settings: ${preset.parameters.map(({ name }) => name).join(", ")}`,
    });
  }
  return Object.fromEntries(
    preset.parameters.map((parameter) => {
      const value = given[parameter.name];
      return [parameter.name, value === undefined ? parameter.fallback : checked(preset, parameter, value)];
    }),
  );
}

/** `key=value` from a shell: none and null, true and false, numbers, `inf`, `a,b` and `[a, b]` pairs, else text. */
export function parseSetting(text: string): [name: string, value: Setting] {
  const at = text.indexOf("=");
  if (at <= 0) {
    throw new UsageError(`--set ${text} has no value`, { hint: "write --set name=value" });
  }
  return [text.slice(0, at).trim(), parseValue(text.slice(at + 1).trim())];
}

function parseValue(text: string): Setting {
  if (/^(none|null)$/i.test(text)) return null;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const number = toNumber(text);
  if (number !== undefined) return number;
  const items = text.replace(/^[[(]|[\])]$/g, "").split(",");
  const numbers = items.map((item) => toNumber(item.trim()));
  return numbers.length > 1 && numbers.every((item) => item !== undefined) ? (numbers as number[]) : text;
}

/** Also reads Python's `inf` and `infinity`, for a bound that does not bind. */
function toNumber(text: string): number | undefined {
  const infinite = /^([+-]?)inf(inity)?$/i.exec(text);
  if (infinite) return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

function checked(preset: Preset, { name, kind, choices }: Parameter, value: Setting): Setting {
  const refuse = (wanted: string): UsageError =>
    new UsageError(`${preset.name}: ${name} is ${wanted}, not ${JSON.stringify(value)}`);
  if (value === null) return value;
  if (choices && !choices.includes(String(value))) throw refuse(`one of ${choices.join(", ")}`);
  if (kind === "number" && typeof value !== "number") throw refuse("a number");
  if (kind === "boolean" && typeof value !== "boolean") throw refuse("true or false");
  if (kind === "number or text" && typeof value !== "number") return formatSetting(value);
  if (kind === "text") return formatSetting(value);
  if (kind === "pair" && !(Array.isArray(value) && value.length === 2)) throw refuse("two numbers");
  return value;
}

/** A comma list of numbers is read as a pair, but is text for a trainer that splits it itself. */
function formatSetting(value: Exclude<Setting, null>): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}
