/**
 * The files of a fuzzing run: each is made from one file of a real producer (test/fixtures) and the seed of its case.
 *
 * @module
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compress, mutateNpy, mutateParquet, mutateSafetensors, mutateZip } from "./containers.ts";
import { mutateLines } from "./json.ts";
import { mutatePickle } from "./pickle.ts";
import { caseSeed, damage, NAMES, NUMBERS, Random, TEXTS } from "./random.ts";

export type Verb = "report" | "analyze" | "lint" | "study";

export interface Case {
  readonly verb: Verb;
  /** The fixture that it was made from. */
  readonly from: string;
  /** The ending of its file name. */
  readonly ending: string;
  readonly bytes: Uint8Array;
}

interface Seed {
  readonly verb: Verb;
  readonly from: string;
  readonly bytes: Buffer;
}

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));
/** Larger ones take long to change and reveal nothing more. */
const MOST_BYTES = 200_000;
const STUDY = `policies:
  step-10: { backend: onnx:models/a, step: 10 }
  step-20: onnx:models/b
baselines: [step-10]
texts: texts.jsonl
tokenizer: tokenizer
outcomes: { correct: outcomes.jsonl }
seed: 3
`;

function filesBelow(folder: string): string[] {
  return readdirSync(join(FIXTURES, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((name) => !/\.(expected(\.gz)?|onnx)$/.test(name) && statSync(join(FIXTURES, name)).isFile())
    .filter((name) => statSync(join(FIXTURES, name)).size < MOST_BYTES)
    .sort();
}

function seeds(): Seed[] {
  const of = (verb: Verb, folder: string, pattern: RegExp): Seed[] =>
    filesBelow(folder)
      .filter((name) => pattern.test(name))
      .map((from) => ({ verb, from, bytes: readFileSync(join(FIXTURES, from)) }));
  const any = /\.(jsonl?|npz|npy|pt|pkl|safetensors|parquet)$/;
  const dumps = of("report", "adapters", any);
  return [
    // Files that adapters parse have more weight than those that only readers parse.
    ...dumps,
    ...dumps,
    ...["npz", "torch", "safetensors", "parquet", "json"].flatMap((folder) => of("report", folder, any)),
    ...of("analyze", "analyze", /\.jsonl$/),
    ...of("analyze", "divergence", /\.jsonl$/),
    ...of("lint", "configs", /\./),
    { verb: "study", from: "study.yaml", bytes: Buffer.from(STUDY) },
    { verb: "study", from: "study.yaml", bytes: Buffer.from(STUDY) },
  ];
}

/** Exchanges words of a config, indents lines, and adds references to missing things or to themselves. */
function mutateConfig(random: Random, text: string): string {
  let lines = text.split("\n");
  for (let i = 1 + random.below(5); i > 0; i--) {
    const at = random.below(lines.length);
    const line = lines[at]!;
    const word = random.chance(0.6) ? random.pick(TEXTS) : String(random.pick(NUMBERS));
    const quoted = random.chance(0.5) ? JSON.stringify(word) : word;
    switch (random.below(9)) {
      case 0:
        lines = lines.toSpliced(at, 1);
        break;
      case 1:
        lines = lines.toSpliced(at, 0, line);
        break;
      case 2:
        lines = lines.with(at, `${" ".repeat(random.below(8))}${line}`);
        break;
      case 3:
        lines = lines.with(at, line.replace(/([:=]\s*).*/, `$1${quoted.replaceAll("$", "$$$$")}`));
        break;
      case 4:
        lines = lines.with(at, line.replace(/[\w.-]+/, random.pick(NAMES)));
        break;
      case 5:
        lines = lines.toSpliced(
          at,
          0,
          random.pick([
            "a: &a [*a]",
            "<<: *x",
            "? [1, 2]\n: 3",
            "!!binary x: y",
            "--- ",
            "%YAML 9.9",
            "!!js/function x",
            "[__proto__]",
            "a.b.c = 1",
            "x = { y = [",
            "\t- x",
            "${oc.env:HOME}",
          ]),
        );
        break;
      case 6:
        lines = lines.with(at, line.replace(/([:=]\s*).*/, `$1${"[".repeat(random.below(400))}`));
        break;
      case 7:
        lines = lines.with(at, `${random.pick(NAMES)}: ${quoted}`);
        break;
      default:
        lines = Buffer.from(damage(random, Buffer.from(lines.join("\n")), 1))
          .toString("latin1")
          .split("\n");
    }
  }
  return lines.join("\n");
}

function changed(random: Random, { verb, from, bytes }: Seed): Uint8Array {
  if (verb === "lint" || verb === "study") return Buffer.from(mutateConfig(random, bytes.toString("utf8")));
  if (random.chance(0.05)) return damage(random, bytes);
  if (from.endsWith(".jsonl"))
    return Buffer.from(mutateLines(random, bytes.toString("utf8").trimEnd().split("\n")));
  if (from.endsWith(".json")) return Buffer.from(mutateLines(random, [bytes.toString("utf8")]));
  if (from.endsWith(".safetensors")) return mutateSafetensors(random, bytes);
  if (from.endsWith(".parquet")) return mutateParquet(random, bytes);
  if (from.endsWith(".npy")) return mutateNpy(random, bytes);
  return bytes.toString("latin1", 0, 4) === "PK\x03\x04"
    ? mutateZip(random, bytes)
    : mutatePickle(random, bytes);
}

/** The cases of a run by number. */
export function makeCases(seed: number): (index: number) => Case {
  const all = seeds();
  return (index) => {
    const random = new Random(caseSeed(seed, index));
    const from = random.pick(all);
    let bytes: Uint8Array;
    try {
      bytes = changed(random, from);
    } catch {
      // A fixture that is damaged on purpose cannot be parsed.
      bytes = damage(random, from.bytes);
    }
    const ending = /\.\w+$/.exec(from.from)![0];
    if (from.verb !== "report" || !random.chance(0.08)) return { ...from, ending, bytes };
    const compressed = compress(random, bytes);
    return { ...from, ending: ending + compressed.ending, bytes: compressed.bytes };
  };
}
