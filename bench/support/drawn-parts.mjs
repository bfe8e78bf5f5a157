// Parts of a generated run: batches like a trainer's dump of a step and rank, really summarized and written as by
// `logratio summarize`. Seeded: the same parts each time.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { uniforms } from "./token-data.mjs";

const DIST = new URL("../../dist/", import.meta.url);
const load = (path) => import(new URL(path, DIST).href);

const RANKS = 8;
const PROMPTS = 8;
const SAMPLES = 8;
/** Median tokens of a sequence. */
const LENGTH = 500;
const VOCABULARY = 150_000;
const TOOL_TOKENS = 40;

/**
 * The record batch of a shard by number: 64 sequences of 8 prompts, with several turns and ids distributed as in text.
 */
export async function drawBatch(number, file) {
  const { createRecordBuilder } = await load("core/schema/index.js");
  const random = uniforms(7919 * (number + 1));
  for (let i = 0; i < 8; i++) random();
  const provenance = { file, format: "npz", trainer: "verl", alignment: "token" };
  const builder = createRecordBuilder({ provenance });
  const step = Math.floor(number / RANKS);
  for (let row = 0; row < PROMPTS * SAMPLES; row++) {
    const length = Math.max(20, Math.round(LENGTH * Math.exp(0.5 * normal(random))));
    const draft = drawTokens(random, length);
    builder.push({
      ...draft,
      length,
      step,
      rank: number % RANKS,
      row,
      groupId: `p${number * PROMPTS + Math.floor(row / SAMPLES)}`,
      reward: random() < 0.5 ? 1 : 0,
      correctness: random() < 0.5 ? 1 : 0,
    });
  }
  return builder.flush();
}

function drawTokens(random, length) {
  const columns = {
    responseMask: new Uint8Array(length),
    rolloutLogprobs: new Float32Array(length),
    trainerLogprobs: new Float32Array(length),
    responseTokenIds: new Int32Array(length),
  };
  const turn = 120 + Math.floor(400 * random());
  for (let t = 0; t < length; t++) {
    const rollout = -(random() < 0.6 ? 0.05 : 3) * random();
    const wide = random() < 0.002 ? 10 : 1;
    columns.responseMask[t] = t % (turn + TOOL_TOKENS) < turn ? 1 : 0;
    columns.rolloutLogprobs[t] = rollout;
    columns.trainerLogprobs[t] = Math.min(0, rollout + 0.02 * wide * normal(random));
    // Like the words of a text: half of the tokens are a few hundred ids, and rare ones come from the whole vocabulary.
    columns.responseTokenIds[t] = Math.floor(VOCABULARY ** random());
  }
  return columns;
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Writes parts `[from, to)` of a run of `count` shards into a folder.
 *
 * @returns tokens with mask 1, and bytes written
 */
export async function drawParts(folder, from, to, count) {
  const { RunEvidence } = await load("analyses/evidence/index.js");
  const { REPORT_PARTS, ReportSums } = await load("parts/kinds/report-sums.js");
  const { writePart } = await load("parts/part-files.js");
  const written = { tokens: 0, bytes: 0 };
  const name = (number) => `/dumps/step_${Math.floor(number / RANKS)}_rank_${number % RANKS}.npz`;
  const call = {
    id: "0123456789abcdef",
    paths: ["/dumps"],
    expected: from === 0 ? Array.from({ length: count }, (_, number) => name(number)) : [],
    findings: [],
  };
  for (let number = from; number < to; number++) {
    const file = name(number);
    const evidence = new RunEvidence();
    evidence.add(await drawBatch(number, file));
    const source = {
      file,
      bytes: 0,
      format: "npz",
      trainer: "verl",
      run: "dumps",
      step: Math.floor(number / RANKS),
      rank: number % RANKS,
      found: [],
      guessed: [],
      missing: [],
    };
    const shard = {
      name: file,
      digest: String(number).padStart(64, "0"),
      sources: [source],
      findings: [],
      filtered: null,
      checks: null,
      failed: false,
    };
    const info = {
      kind: "report",
      version: REPORT_PARTS.version,
      settings: [],
      filtersTokens: false,
      calls: number === 0 ? [call] : [],
      shards: [shard],
      notes: [],
    };
    const part = { info, sums: new ReportSums(evidence) };
    written.bytes += await writePart(join(folder, `${String(number).padStart(7, "0")}.lrs`), part);
    written.tokens += evidence.summary.total.sums[0];
  }
  return written;
}

// node drawn-parts.mjs FOLDER FROM TO COUNT: a separate process, so that several can run at once.
if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, ...numbers] = process.argv.slice(2);
  console.log(JSON.stringify(await drawParts(folder, ...numbers.map(Number))));
}
