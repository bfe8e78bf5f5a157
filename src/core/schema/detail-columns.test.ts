import { describe, expect, it } from "vitest";
import { createRecordBuilder } from "./builder.ts";
import type { SequenceDraft } from "./sequence-draft.ts";

const provenance = { file: "memory", format: "json", trainer: "own", alignment: "token" } as const;
const plain: SequenceDraft = { length: 2, responseMask: Uint8Array.of(1, 1) };
const padded: SequenceDraft = {
  length: 1,
  responseMask: Uint8Array.of(1),
  details: {
    attention: Uint8Array.of(1),
    inputTokenIds: Int32Array.of(7),
    tokenRewards: Float32Array.of(0.5),
    promptWidth: 6,
    promptPadding: 2,
  },
};

describe("details of a source", () => {
  it("stand at their tokens, and are missing where a sequence has none", () => {
    const builder = createRecordBuilder({ provenance, keepDetails: true });
    for (const draft of [plain, padded, plain]) builder.push(draft);
    expect(builder.flush().details).toEqual({
      attention: Int32Array.of(-1, -1, 1, -1, -1),
      inputTokenIds: Int32Array.of(-1, -1, 7, -1, -1),
      tokenRewards: Float32Array.of(NaN, NaN, 0.5, NaN, NaN),
      promptWidths: Int32Array.of(-1, 6, -1),
      promptPadding: Int32Array.of(-1, 2, -1),
    });
    builder.push(plain);
    expect(builder.flush().details).toBeUndefined();
  });

  it("are kept only by a builder that is asked, and refused when they do not fit", () => {
    const builder = createRecordBuilder({ provenance });
    builder.push(padded);
    expect(builder.flush().details).toBeUndefined();
    expect(() => builder.push({ ...padded, details: { attention: Uint8Array.of(1, 1) } })).toThrow(
      "attention mask: 2 values, expected 1 for 1 response tokens",
    );
  });
});
