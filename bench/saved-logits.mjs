// A study of saved logits as a whole command: `logratio kl` of two policies' logits in one safetensors file, from its
// start to its report, with one thread and with all. The floor is one thread that reads the file once and computes its
// checksum.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { safetensorsHead, viewBytes } from "./support/containers.mjs";
import { bfloat16Bits, float16Bits, logitRows } from "./support/logit-data.mjs";
import { findPython, measure } from "./support/processes.mjs";
import { formatTable, median } from "./support/rounds.mjs";

const COLUMNS = 151_936;
/** Tokens of a text, and how many of them are its prompt. */
const TOKENS = 256;
const PROMPT = 8;
/** The number of distinct rows; a text repeats them. */
const DRAWN = 64;
const FORMATS = {
  float32: { dtype: "F32", encode: (values) => values },
  bfloat16: { dtype: "BF16", encode: bfloat16Bits },
  float16: { dtype: "F16", encode: float16Bits },
};
const PROGRAM = fileURLToPath(new URL("../bin/logratio.js", import.meta.url));
const FLOOR = fileURLToPath(new URL("support/floor.mjs", import.meta.url));

export async function run({ quick, rounds = quick ? 1 : 3 }) {
  const launcher = findPython([]);
  if (launcher.missing) throw new Error(`processes are measured from Python: ${launcher.missing}`);
  const texts = quick ? 1 : 8;
  const drawn = logitRows(DRAWN, COLUMNS);
  const results = [];
  const folder = mkdtempSync(join(tmpdir(), "bench-saved-logits-"));
  try {
    for (const format of Object.keys(FORMATS))
      results.push(...measureFormat(format, { texts, drawn, folder, launcher: launcher.python, rounds }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const table = [HEAD, ...results.map(tableRow)];
  const caption = `${texts} texts of ${TOKENS - PROMPT} response tokens under two policies, rows of ${COLUMNS.toLocaleString("en")} columns, in the page cache; medians of ${rounds} round${rounds === 1 ? "" : "s"}`;
  const notes = ["the reference's rows are read twice: to describe them, and to compare them"];
  console.log(`${caption}\n\n${formatTable(table)}\n\n${notes.join("\n")}`);
  return { rounds, caption, table, notes, results };
}

function measureFormat(format, { texts, drawn, folder, launcher, rounds }) {
  const path = join(folder, `${format}.safetensors`);
  const out = join(folder, "out");
  writeStudy(path, texts, drawn, FORMATS[format]);
  const tokens = texts * (TOKENS - PROMPT);
  const study = [PROGRAM, "kl", path, "--reference", "ref", "--out", out];
  const threads = [...new Set([1, availableParallelism()])];
  const variants = [
    ...threads.map((count) => ({
      label: `${format}, ${count} thread${count === 1 ? "" : "s"}`,
      words: [...study, "--threads", String(count)],
    })),
    { label: `${format}, floor: checksum`, words: [FLOOR, "checksum", path] },
  ].map((variant) => ({ ...variant, tokens, samples: [] }));
  for (let round = -1; round < rounds; round++)
    for (const { words, samples } of variants) {
      const { wall, cpu, peak } = measure(launcher, [process.execPath, ...words]);
      if (round >= 0) samples.push({ wall, cpu, peak });
      rmSync(out, { recursive: true, force: true });
    }
  rmSync(path);
  return variants;
}

/** Saves them as a script does: each text's ids and both policies' rows. */
function writeStudy(path, texts, drawn, { dtype, encode }) {
  const rows = { ref: viewBytes(encode(drawn.p)), rl: viewBytes(encode(drawn.q)) };
  const tensors = Array.from({ length: texts }, (_, text) => text).flatMap((text) => [
    { name: `${text}.input_ids`, dtype: "I64", shape: [TOKENS], data: [viewBytes(drawIds(text))] },
    {
      name: `${text}.prompt_length`,
      dtype: "I64",
      shape: [1],
      data: [viewBytes(BigInt64Array.of(BigInt(PROMPT)))],
    },
    ...Object.entries(rows).map(([policy, own]) => ({
      name: `${text}.${policy}`,
      dtype,
      shape: [TOKENS, COLUMNS],
      data: Array.from({ length: TOKENS / DRAWN }, () => own),
    })),
  ]);
  const head = safetensorsHead(
    tensors.map((tensor) => ({
      ...tensor,
      byteLength: tensor.data.reduce((sum, part) => sum + part.byteLength, 0),
    })),
  );
  const file = openSync(path, "w");
  for (const part of [head, ...tensors.flatMap(({ data }) => data)]) writeSync(file, part);
  closeSync(file);
}

/** Distinct ids for each text, by which its rows are found. */
const drawIds = (text) =>
  BigInt64Array.from({ length: TOKENS }, (_, i) => BigInt((text * 7919 + i * 31) % COLUMNS));

const HEAD = ["", "wall s", "CPU s", "tokens per s", "peak MB"];

function tableRow({ label, tokens, samples }) {
  const [wall, cpu, peak] = ["wall", "cpu", "peak"].map((key) => median(samples.map((one) => one[key])));
  return [label, wall.toFixed(2), cpu.toFixed(2), (tokens / wall).toFixed(0), (peak / 1e6).toFixed(0)];
}
