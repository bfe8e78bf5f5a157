import type { WireSequence } from "../../../../../src/results/wire/sequence.ts";

/** A sequence for tests: texts (or bytes) of its tokens, the first `promptLength` of them prompt. */
export function madeSequence(
  tokens: readonly (string | readonly number[])[],
  more: Partial<WireSequence> & { readonly promptLength?: number } = {},
): WireSequence {
  const { promptLength = 0, ...arrays } = more;
  const parts = tokens.map((token) =>
    typeof token === "string" ? new TextEncoder().encode(token) : Uint8Array.from(token),
  );
  const textOffsets = new Uint32Array(parts.length + 1);
  for (const [at, part] of parts.entries()) textOffsets[at + 1] = textOffsets[at]! + part.length;
  const texts = new Uint8Array(textOffsets.at(-1)!);
  for (const [at, part] of parts.entries()) texts.set(part, textOffsets[at]!);
  const n = tokens.length - promptLength;
  return {
    meta: {
      index: 0,
      handle: "s1.r0.q0",
      step: 1,
      rank: 0,
      row: 0,
      sample: null,
      group: null,
      environment: null,
      reward: null,
      correct: null,
      engine: null,
      finish: null,
      file: "step_1.npz",
      promptLength,
    },
    ids: Int32Array.from(tokens, (_, at) => at),
    textOffsets,
    texts,
    flags: new Uint8Array(tokens.length),
    mask: new Uint8Array(n).fill(1),
    turnMarks: new Uint16Array(n).fill(1),
    rollout: new Float32Array(n).fill(-1),
    trainer: new Float32Array(n).fill(-1),
    policies: {},
    ...arrays,
  };
}
