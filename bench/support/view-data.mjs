// What the viewer's server and --follow cost: figures of the built package, measured in this process.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { median } from "./rounds.mjs";
import { DIST } from "./view-server.mjs";

const TURN = 90;
const TOOL = 10;
const [FIRST_ID, IDS] = [40, 360];

const built = (path) => import(pathToFileURL(join(DIST, path)).href);
const modulo = (value, by) => ((value % by) + by) % by;

/** Writes a step of generated sequences as JSON lines with an old modification time. Returns its bytes. */
function writeStep(path, step, sequences, tokens) {
  const row = (at) => {
    const each = (make) =>
      Array.from({ length: tokens }, (_, t) => make(modulo(step * 7919 + at * 104729 + t * 31, 1000)));
    return JSON.stringify({
      step,
      response_ids: each((value) => FIRST_ID + (value % IDS)),
      response_mask: Array.from({ length: tokens }, (_, t) => (t % (TURN + TOOL) < TURN ? 1 : 0)),
      rollout_log_probs: each((value) => -value / 400),
      old_log_probs: each((value) => -value / 400 - (value % 97 === 0 ? 0.3 : 0.004)),
    });
  };
  const text = `${Array.from({ length: sequences }, (_, at) => row(at)).join("\n")}\n`;
  writeFileSync(path, text);
  const past = new Date(Date.now() - 60_000);
  utimesSync(path, past, past);
  return Buffer.byteLength(text);
}

/**
 * Bytes that are read while `steps` files arrive one after another: by a followed run, and by reading everything again
 * at each of them.
 */
export async function measureFollowing(folder, steps = 20) {
  const { followRun, prepareRun } = await built("apps/viewer/prepare/index.js");
  const run = join(folder, "arriving");
  mkdirSync(run);
  const counter = () => {
    const counted = { bytes: 0, last: 0 };
    const onProgress = ({ bytesRead }) => {
      // The count restarts from 0 in each read.
      counted.bytes += bytesRead >= counted.last ? bytesRead - counted.last : bytesRead;
      counted.last = bytesRead;
    };
    return { counted, onProgress };
  };
  const [followed, whole] = [counter(), counter()];
  const stop = new AbortController();
  let arrived = 0;
  let written = writeStep(join(run, "step_1.jsonl"), 1, 20, 1000);
  const failed = [];
  await followRun(
    [run],
    { cache: join(folder, "followed"), onProgress: followed.onProgress },
    {
      everyMs: 5,
      signal: stop.signal,
      onRun: (prepared) => {
        if (prepared.info.steps.length === arrived) return void prepared.close();
        arrived = prepared.info.steps.length;
        const next = async () => {
          await prepared.close();
          const all = await prepareRun([run], {
            cache: join(folder, `whole-${arrived}`),
            onProgress: whole.onProgress,
          });
          whole.counted.last = 0;
          await all.close();
          if (arrived === steps) stop.abort();
          else written += writeStep(join(run, `step_${arrived + 1}.jsonl`), arrived + 1, 20, 1000);
        };
        next().catch((error) => {
          failed.push(error);
          stop.abort();
        });
      },
    },
  );
  if (failed.length > 0) throw failed[0];
  return { steps, written, followed: followed.counted.bytes, whole: whole.counted.bytes };
}

const FILTERS = ["abs>0.2", "abs>0.2 turn:3", "is:number", 'token:"e" delta<0'];

/** Median milliseconds of `api/match` for filters on tokens, over a generated run of a million tokens. */
export async function measureFilters(folder, { tokenizer, rounds, start }) {
  const run = join(folder, "million");
  mkdirSync(run);
  for (let step = 1; step <= 10; step++) writeStep(join(run, `step_${step}.jsonl`), step, 100, 1000);
  const { url, stop } = await start([run, "--tokenizer", tokenizer, "--cache", join(folder, "cache")]);
  try {
    const figures = [];
    for (const filter of FILTERS) {
      const times = [];
      for (let round = -1; round < rounds; round++) {
        const from = performance.now();
        const answer = await fetch(`${url}api/match?filter=${encodeURIComponent(filter)}`);
        if (!answer.ok) throw new Error(`${filter}: ${await answer.text()}`);
        await answer.arrayBuffer();
        if (round >= 0) times.push(performance.now() - from);
      }
      figures.push({ filter, median: median(times), worst: Math.max(...times) });
    }
    return figures;
  } finally {
    await stop();
  }
}

/** Median milliseconds of a filter with three terms over a table of 100,000 sequences. */
export async function measureRows(rounds) {
  const { matchingRows, parseFilter } = await built("analyses/filter/index.js");
  const length = 100_000;
  const column = (make) => Float64Array.from({ length }, (_, row) => make(row));
  const table = {
    length,
    columns: { delta_abs_mean: column((row) => (row % 100) / 100), step: column((row) => row % 50) },
    texts: {},
  };
  const { alternatives } = parseFilter("mean_abs>0.5 step:10..30 -mean_abs>0.9");
  const times = [];
  for (let round = -1; round < rounds; round++) {
    const from = performance.now();
    matchingRows(table, alternatives);
    if (round >= 0) times.push(performance.now() - from);
  }
  return median(times);
}
