// A run of one long sequence, as JSON lines: turns with tool output between them, log-ratios with heavy tails.
import { writeFileSync } from "node:fs";

const TURN = 900;
const TOOL = 100;
/** Ids of `examples/demo/tokenizer` that are text: single bytes and tokens merged from them. */
const [FIRST_ID, IDS] = [40, 360];
const NEWLINE = 17;

/** Writes `tokens` response tokens to `path`, the same ones each time. */
export function writeLongRun(path, tokens) {
  const random = seeded(tokens);
  const [ids, mask, rollout, trainer] = [[], [], [], []];
  for (let token = 0; token < tokens; token++) {
    const own = token % (TURN + TOOL) < TURN;
    const logprob = own ? -(random() ** 4) * 8 : 0;
    const tail = random() < 0.005 ? 40 : 1;
    ids.push(random() < 0.04 ? NEWLINE : FIRST_ID + Math.floor(random() * IDS));
    mask.push(own ? 1 : 0);
    rollout.push(round(logprob));
    trainer.push(own ? round(Math.min(0, logprob + (random() - 0.5) * 0.03 * tail)) : 0);
  }
  const row = {
    step: 1,
    response_ids: ids,
    response_mask: mask,
    rollout_log_probs: rollout,
    old_log_probs: trainer,
  };
  writeFileSync(path, `${JSON.stringify(row)}\n`);
}

const round = (value) => Math.round(value * 1e6) / 1e6;

/** Mulberry32. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
