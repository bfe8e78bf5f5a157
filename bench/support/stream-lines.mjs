// node stream-lines.mjs TOKENS STEPS: writes a run of TOKENS tokens with mask 1 in STEPS steps to standard output, as
// JSON lines, one per sequence. The sequences of one seeded step are repeated with increasing step numbers.
import { writeSync } from "node:fs";
import { jsonl } from "./containers.mjs";
import { paddedBatch } from "./padded-run.mjs";

const [tokens, steps] = process.argv.slice(2).map(Number);
const batch = paddedBatch(1);
const masked = batch.columns.response_mask.reduce((sum, one) => sum + one, 0);
/** Lines without the first brace, so that the step can be put before them. */
const lines = jsonl(batch)
  .toString("latin1")
  .trimEnd()
  .split("\n")
  .map((line) => Buffer.from(`${line.slice(1)}\n`, "latin1"));
const count = Math.ceil(tokens / masked);

function write(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      // The pipe is full at the moment.
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

try {
  for (let i = 0; i < count; i++) {
    const head = Buffer.from(`{"step":${Math.floor((i * steps) / count) + 1},`);
    for (const line of lines) write(Buffer.concat([head, line]));
  }
} catch (error) {
  // The reader has ended, and says why.
  if (error.code !== "EPIPE") throw error;
}
