/**
 * A correction as one line of text that a person can read and an address can hold:
 *
 * ```
 * weight:token truncate:..2                          token weights, at most 2
 * mask:sequence.mean.ratio:0.999..1.001              sequences by the geometric mean of their ratios
 * zero:token.prob_diff:..0.1:positive                where the advantage is positive
 * zero:token.binary_kl:..0.05:prob=1e-6              probabilities kept 1e-6 away from 0 and 1
 * weight:sequence:log=20 veto:ratio:0.0001.. normalize:sequence
 * none
 * tis, icepop, mis                                   short for token weights, bounded as usual; tis:..3 with own bounds
 * ```
 *
 * Parts are separated by spaces, their fields by colons. A measure is `level.aggregation.statistic` (for tokens
 * `token.statistic`) or `weight`; a range has either end, or both. Every {@link Correction} has one text, which parses
 * to the same correction; numbers keep all digits. Short names are read, never written.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import {
  type Bounds,
  type Correction,
  type Figure,
  LEVELS,
  type Measure,
  type Reject,
  STATISTICS,
  type Step,
  type Weight,
} from "./correction.ts";
import { validateCorrection } from "./validate.ts";

const NONE = "none";
const SIGNS = { positive: "positive", negative: "negative", "not-positive": "not positive" } as const;
const DIVISORS = { token: "token", sequence: "sequence", "every-sequence": "every sequence" } as const;
const PARTS = ["weight", "truncate", "zero", "mask", "veto", "normalize"];
/** What a trainer's word is short for, and the bounds that it stands for alone. Sources: docs/names.md. */
const SHORT = new Map([
  ["tis", { parts: ["weight:token", "truncate:"], bounds: "..2" }],
  ["icepop", { parts: ["weight:token", "zero:weight:"], bounds: "0.5..5" }],
  ["mis", { parts: ["weight:token", "mask:weight:"], bounds: "0.5..2" }],
]);

export function formatCorrection({ weight, steps }: Correction): string {
  const parts = [...(weight ? [formatWeight(weight)] : []), ...steps.map(formatStep)];
  return parts.length === 0 ? NONE : parts.join(" ").replaceAll("e+", "e");
}

function formatWeight({ level, aggregation, deltaBound, logBound, over }: Weight): string {
  const mean = level !== "token" && aggregation === "mean";
  return join("weight", mean ? `${level}.mean` : level, {
    ...(deltaBound !== undefined && { delta: deltaBound }),
    ...(logBound !== undefined && { log: logBound }),
    kept: over === "kept",
  });
}

function formatStep(step: Step): string {
  if (step.action === "truncate") return join("truncate", formatRange(step));
  if (step.action === "normalize") return join("normalize", findKey(DIVISORS, step.over));
  const { measure } = step;
  if (step.action === "veto")
    return join("veto", step.measure.statistic, formatRange(step), figureOptions(step.measure));
  return join(
    step.action,
    measure === "weight" ? measure : formatMeasure(step.measure as Measure),
    formatRange(step),
    {
      ...(measure !== "weight" && figureOptions(measure)),
      kept: measure !== "weight" && measure.over === "kept",
      ...(step.when !== undefined && { [findKey(SIGNS, step.when)]: true }),
      diverging: step.only !== undefined,
      nan: step.nan === "kept",
    },
  );
}

function figureOptions({ deltaBound, probBound, restShift }: Measure): Record<string, number> {
  return {
    ...(deltaBound !== undefined && { delta: deltaBound }),
    ...(probBound !== undefined && { prob: probBound }),
    ...(restShift !== undefined && { shift: restShift }),
  };
}

/** `token.k3`, `sequence.mean.ratio` */
export function formatMeasure({ statistic, level, aggregation }: Measure): string {
  return level === "token" ? `token.${statistic}` : `${level}.${aggregation}.${statistic}`;
}

function formatRange({ lower, upper }: Bounds): string {
  return `${lower ?? ""}..${upper ?? ""}`;
}

/** Fields, then the options that are true or have a number. */
function join(...fields: readonly (string | Readonly<Record<string, number | boolean>>)[]): string {
  return fields
    .flatMap((field) => {
      if (typeof field === "string") return [field];
      return Object.entries(field).flatMap(([name, value]) =>
        value === false ? [] : [value === true ? name : `${name}=${value}`],
      );
    })
    .join(":");
}

function findKey<Name extends string>(names: Readonly<Record<string, Name>>, value: Name): string {
  return Object.keys(names).find((key) => names[key] === value)!;
}

/**
 * The correction that a text describes.
 *
 * @throws UsageError naming the part that is not understood and what could be there instead, or if the correction
 *   contradicts itself.
 */
export function parseCorrection(text: string): Correction {
  const parts = text.trim().split(/\s+/).filter(Boolean).flatMap(expand);
  if (parts.length === 0) throw new UsageError('the correction is empty: "none" does nothing');
  if (parts.length === 1 && parts[0] === NONE) return { steps: [] };
  const [first, ...rest] = parts as [string, ...string[]];
  const hasWeight = first.startsWith("weight:");
  const correction: Correction = {
    ...(hasWeight && { weight: parseWeight(new Part(first, 1)) }),
    steps: (hasWeight ? rest : parts).map((part, at) => parseStep(new Part(part, at + (hasWeight ? 2 : 1)))),
  };
  validateCorrection(correction);
  return correction;
}

/** The parts that a short name stands for; any other part as it is. */
function expand(part: string): string[] {
  const colon = part.indexOf(":");
  const short = SHORT.get(colon < 0 ? part : part.slice(0, colon));
  if (short === undefined) return [part];
  const [weight, step] = short.parts;
  return [weight!, step! + (colon < 0 ? short.bounds : part.slice(colon + 1))];
}

function parseWeight(part: Part): Weight {
  const [level, aggregation = "sum", ...more] = part.take("a level").split(".");
  if (more.length > 0) throw part.refuse("write weight:sequence.mean");
  const weight = {
    level: part.pick(LEVELS, level!, "level"),
    aggregation: part.pick(["sum", "mean"] as const, aggregation, "aggregation of a weight"),
  };
  const deltaBound = part.takeNumber("delta");
  const logBound = part.takeNumber("log");
  const over = part.takeFlag("kept") ? ("kept" as const) : undefined;
  part.finish();
  return {
    ...weight,
    ...(deltaBound !== undefined && { deltaBound }),
    ...(logBound !== undefined && { logBound }),
    ...(over && { over }),
  };
}

function parseStep(part: Part): Step {
  switch (part.name) {
    case "truncate": {
      const step = { action: part.name, ...part.takeRange() } as const;
      part.finish();
      return step;
    }
    case "normalize": {
      const over =
        DIVISORS[
          part.pick(Object.keys(DIVISORS) as (keyof typeof DIVISORS)[], part.take("over what"), "divisor")
        ];
      part.finish();
      return { action: part.name, over };
    }
    case "veto": {
      const statistic = part.pick(STATISTICS, part.take("a statistic"), "statistic");
      const bounds = part.takeRange();
      const options = takeFigureOptions(part);
      part.finish();
      const measure = { statistic, level: "token", aggregation: "sum" } as const;
      return { action: part.name, measure: { ...measure, ...options }, ...bounds };
    }
    case "zero":
    case "mask":
      return parseReject(part, part.name);
    case "weight":
      throw part.refuse("the one weight comes first");
    default:
      throw part.refuse(
        `it must begin with one of ${PARTS.join(", ")}, or be one of ${[...SHORT.keys()].join(", ")}`,
      );
  }
}

function parseReject(part: Part, action: Reject["action"]): Reject {
  const measured = part.take("a measure");
  const measure = measured === "weight" ? measured : parseMeasure(part, measured);
  const bounds = part.takeRange();
  const sign = (Object.keys(SIGNS) as (keyof typeof SIGNS)[]).find((name) => part.takeFlag(name));
  const only = part.takeFlag("diverging");
  const nan = part.takeFlag("nan");
  const options = measure === "weight" ? {} : takeFigureOptions(part);
  const over = measure !== "weight" && part.takeFlag("kept");
  part.finish();
  return {
    action,
    measure: measure === "weight" ? measure : { ...measure, ...options, ...(over && { over: "kept" }) },
    ...bounds,
    ...(sign && { when: SIGNS[sign] }),
    ...(only && { only: "diverging tokens" }),
    ...(nan && { nan: "kept" }),
  };
}

function takeFigureOptions(part: Part): Omit<Figure, "statistic"> {
  const deltaBound = part.takeNumber("delta");
  const probBound = part.takeNumber("prob");
  const restShift = part.takeNumber("shift");
  return {
    ...(deltaBound !== undefined && { deltaBound }),
    ...(probBound !== undefined && { probBound }),
    ...(restShift !== undefined && { restShift }),
  };
}

function parseMeasure(part: Part, text: string): Measure {
  const words = text.split(".");
  const level = part.pick(LEVELS, words[0]!, "level");
  if (words.length !== (level === "token" ? 2 : 3))
    throw part.refuse("a measure is token.STATISTIC, or LEVEL.AGGREGATION.STATISTIC");
  return {
    statistic: part.pick(STATISTICS, words.at(-1)!, "statistic"),
    level,
    aggregation:
      level === "token" ? "sum" : part.pick(["sum", "mean", "max"] as const, words[1]!, "aggregation"),
  };
}

const NUMBER = /^-?(\d+(\.\d+)?|\.\d+)(e-?\d+)?$/;

/** Parses one part of the text from left to right: fields in order, then options in any order. */
class Part {
  readonly name: string;
  readonly #text: string;
  /** Counted from 1; distinguishes parts with the same text. */
  readonly #number: number;
  readonly #fields: string[];

  constructor(text: string, number: number) {
    this.#text = text;
    this.#number = number;
    [this.name, ...this.#fields] = text.split(":") as [string, ...string[]];
  }

  refuse(why: string): UsageError {
    return new UsageError(`cannot read "${this.#text.slice(0, 80)}" (part ${this.#number}): ${why}`);
  }

  pick<Name extends string>(names: readonly Name[], text: string, what: string): Name {
    const name = names.find((each) => each === text);
    if (name !== undefined) return name;
    throw this.refuse(`there is no ${what} "${text}"; known: ${names.join(", ")}`);
  }

  take(what: string): string {
    const field = this.#fields.shift();
    if (field === undefined || field === "") throw this.refuse(`${what} is missing after ${this.name}:`);
    return field;
  }

  takeRange(): Bounds {
    const text = this.take("a range");
    const [lower, upper, ...more] = text.split("..");
    if (upper === undefined || more.length > 0)
      throw this.refuse(`"${text}" is not a range: write 0.5..2, 0.5.. or ..2`);
    return {
      ...(lower !== "" && { lower: this.#toNumber(lower!) }),
      ...(upper !== "" && { upper: this.#toNumber(upper) }),
    };
  }

  /** The number of an option `name=1.5`. */
  takeNumber(name: string): number | undefined {
    const at = this.#fields.findIndex((field) => field.startsWith(`${name}=`));
    if (at < 0) return undefined;
    return this.#toNumber(this.#fields.splice(at, 1)[0]!.slice(name.length + 1));
  }

  takeFlag(name: string): boolean {
    const at = this.#fields.indexOf(name);
    if (at >= 0) this.#fields.splice(at, 1);
    return at >= 0;
  }

  finish(): void {
    const [field] = this.#fields;
    if (field !== undefined) throw this.refuse(`there is no option "${field}" here`);
  }

  #toNumber(text: string): number {
    if (NUMBER.test(text)) return Number(text);
    throw this.refuse(`"${text}" is not a number`);
  }
}
