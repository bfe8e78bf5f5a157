import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { calculateDebugMetrics } from "./debug-metrics.ts";
import type { DebugBatch } from "./padded-facts.ts";
import { tableDecoder } from "./table-decoder.test-data.ts";

interface Case {
  readonly note: string;
  readonly config: Readonly<Record<string, number | undefined>>;
  readonly inputs: DebugBatch;
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly metrics: Readonly<Record<string, number>>;
}

const FIXTURE = new URL("../../../test/fixtures/divergence/verl.json", import.meta.url);
const { vocabulary, cases } = JSON.parse(readFileSync(FIXTURE, "utf8")) as {
  readonly vocabulary: readonly string[];
  readonly cases: readonly Case[];
};

/** Every field of the reference's record is there with its value; numbers to 12 digits. */
function expectSame(
  ours: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(theirs)) {
    if (typeof value === "number") expect(ours[name], name).toBeCloseTo(value, 12);
    else expect(ours[name], name).toEqual(value);
  }
}

describe("calculateDebugMetrics against the Python implementation in float64", () => {
  it.each(cases.map((given) => [given.note, given] as const))(
    "%s",
    (note, { config, inputs, records, metrics }) => {
      const ours = calculateDebugMetrics(inputs, {
        divergenceThreshold: 0,
        divergenceTopK: config.top_k!,
        contextWindow: config.context_window!,
        maxPromptChars: config.max_prompt_chars ?? null,
        maxResponseChars: config.max_response_chars ?? null,
        ...(note !== "no tokenizer" && { tokenizer: tableDecoder(vocabulary) }),
      });
      expect(ours.records).toHaveLength(records.length);
      ours.records.forEach((record, rank) => {
        expectSame(record as unknown as Record<string, unknown>, records[rank]!);
      });
      for (const [key, value] of Object.entries(metrics))
        expect(ours.metrics[key], key).toBeCloseTo(value, 10);
    },
  );

  it("has every kind of field among the cases", () => {
    const fields = new Set(cases.flatMap(({ records }) => records.flatMap((record) => Object.keys(record))));
    for (const field of ["position_id", "reencoded_ids", "WARNING", "input_ids_token_text", "total_score"])
      expect(fields).toContain(field);
    const flips = new Set(cases.flatMap(({ records }) => records.map(({ flip_type }) => flip_type)));
    expect(flips.size).toBeGreaterThanOrEqual(3);
  });
});
