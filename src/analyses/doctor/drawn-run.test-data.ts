/** Runs drawn from known distributions, so that what the doctor says of them can be checked without recordings. */
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { seededRandom } from "../../core/statistics/random.ts";
import { drawToken, logSoftmax, makeNormal } from "./logits.test-data.ts";

export interface DrawnToken {
  /** Logits of both sides over the same few alternatives. */
  readonly rollout: readonly number[];
  readonly trainer: readonly number[];
}

export interface DrawnRun {
  readonly rows: number;
  readonly tokens: number;
  readonly steps?: number;
  readonly seed?: number;
  /** The trainer's logits from the rollout's. */
  readonly trainer: (
    logits: readonly number[],
    place: { step: number; token: number; noise: () => number },
  ) => number[];
  /** Changes the columns of a row after they were drawn. */
  readonly after?: (rollout: Float32Array, trainer: Float32Array, row: number) => void;
}

const ALTERNATIVES = 6;

/** Four samples per prompt; tokens are drawn from the rollout's distribution. */
export function drawRun({ rows, tokens, steps = 2, seed = 1, trainer, after }: DrawnRun): RecordBatch {
  const random = seededRandom(seed);
  const noise = makeNormal(random);
  const builder = createRecordBuilder({
    provenance: { file: "drawn.npz", format: "npz", trainer: "verl", alignment: "token" },
  });
  for (let row = 0; row < rows; row++) {
    const step = Math.floor((row * steps) / rows);
    const ids = new Int32Array(tokens);
    const [a, c] = [new Float32Array(tokens), new Float32Array(tokens)];
    for (let token = 0; token < tokens; token++) {
      const logits = Array.from({ length: ALTERNATIVES }, () => 3 * noise());
      const ours = logSoftmax(logits);
      const theirs = logSoftmax(trainer(logits, { step, token, noise }));
      const chosen = drawToken(ours, random());
      ids[token] = 10 + chosen + ALTERNATIVES * Math.floor(random() * 30);
      a[token] = ours[chosen]!;
      c[token] = theirs[chosen]!;
    }
    after?.(a, c, row);
    builder.push({
      length: tokens,
      step,
      row,
      groupId: `g${Math.floor(row / 4)}`,
      responseTokenIds: ids,
      responseMask: new Uint8Array(tokens).fill(1),
      rolloutLogprobs: a,
      trainerLogprobs: c,
    });
  }
  return builder.flush();
}
