import { describe, expect, it } from "vitest";
import { createRecordBuilder } from "../../core/schema/index.ts";
import { takeRows } from "./take-rows.ts";

const provenance = { file: "memory", format: "json", trainer: "own", alignment: "token" } as const;

describe("takeRows", () => {
  it("takes what the source says of the tokens along", () => {
    const builder = createRecordBuilder({ provenance, keepDetails: true });
    for (const first of [10, 20, 30]) {
      builder.push({
        length: 2,
        responseMask: Uint8Array.of(1, 1),
        details: {
          attention: Uint8Array.of(1, 0),
          inputTokenIds: Int32Array.of(first, first + 1),
          tokenRewards: Float32Array.of(0, first),
          promptWidth: first,
          promptPadding: first / 10,
        },
      });
    }
    expect(takeRows(builder.flush(), Uint32Array.of(2, 0)).details).toEqual({
      attention: Int32Array.of(1, 0, 1, 0),
      inputTokenIds: Int32Array.of(30, 31, 10, 11),
      tokenRewards: Float32Array.of(0, 30, 0, 10),
      promptWidths: Int32Array.of(30, 10),
      promptPadding: Int32Array.of(3, 1),
    });
  });
});
