import { describe, expect, it } from "vitest";
import { crc32c, unmaskChecksum } from "../../core/base/crc32c.ts";
import type { MismatchReport } from "../../results/report.ts";
import { renderPrometheus } from "./prometheus.ts";
import { listStepScalars } from "./scalars.ts";
import { renderEvents } from "./tensorboard.ts";
import { renderWandbLines } from "./wandb.ts";

/** The parts of a report that are read, some of which may be missing. */
function makeReport(steps: readonly (number | null)[], run = "stale"): MismatchReport {
  return {
    run,
    metrics: { tokens: 30, k3: 0.25, pearson: Number.NaN },
    excluded: { missing: 2, delta_negative_infinite: 0, delta_positive_infinite: 0 },
    per_step: steps.map((step, at) => ({
      step,
      sequences: at + 1,
      k3: at / 8,
      pearson: Number.NaN,
      reward: null,
    })),
  } as unknown as MismatchReport;
}

const decoder = new TextDecoder();

/** The fields of a message: the number, and a varint or bytes. */
function readFields(data: Uint8Array): [number, bigint | Uint8Array][] {
  const found: [number, bigint | Uint8Array][] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < data.length) {
    const key = Number(varint());
    const wire = key & 7;
    if (wire === 0) found.push([key >> 3, varint()]);
    else {
      const length = wire === 1 ? 8 : wire === 5 ? 4 : Number(varint());
      found.push([key >> 3, data.subarray(at, at + length)]);
      at += length;
    }
  }
  return found;
}

/** The records of a TFRecord file; both checksums are compared. */
function readFrames(data: Uint8Array): Uint8Array[] {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const records: Uint8Array[] = [];
  for (let at = 0; at < data.length; ) {
    const length = Number(view.getBigUint64(at, true));
    expect(unmaskChecksum(view.getUint32(at + 8, true))).toBe(crc32c(data.subarray(at, at + 8)));
    const record = data.subarray(at + 12, at + 12 + length);
    expect(unmaskChecksum(view.getUint32(at + 12 + length, true))).toBe(crc32c(record));
    records.push(record);
    at += length + 16;
  }
  return records;
}

const find = (fields: [number, bigint | Uint8Array][], number: number): Uint8Array =>
  fields.find(([each]) => each === number)?.[1] as Uint8Array;

describe("crc32c", () => {
  it("gives the check value and those of RFC 3720", () => {
    expect(crc32c(new TextEncoder().encode("123456789"))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
    expect(crc32c(new Uint8Array(0))).toBe(0);
  });
});

describe("listStepScalars", () => {
  it("has the numbers of each step and nothing for what is unknown", () => {
    expect(listStepScalars(makeReport([10, 20]))).toEqual({
      steps: [
        {
          step: 10,
          values: [
            ["logratio/sequences", 1],
            ["logratio/k3", 0],
          ],
        },
        {
          step: 20,
          values: [
            ["logratio/sequences", 2],
            ["logratio/k3", 0.125],
          ],
        },
      ],
      sequencesWithoutStep: 0,
    });
  });

  it("counts sequences that are in no step, and takes a run without steps for one", () => {
    expect(listStepScalars(makeReport([10, null]))).toMatchObject({
      steps: [{ step: 10 }],
      sequencesWithoutStep: 2,
    });
    expect(listStepScalars(makeReport([null]))).toMatchObject({
      steps: [{ step: 0 }],
      sequencesWithoutStep: 0,
    });
  });
});

describe("renderEvents", () => {
  it("writes the version, its writer, and a summary per step", () => {
    const records = readFrames(renderEvents(listStepScalars(makeReport([10, 300])).steps, 1.5));
    expect(records).toHaveLength(3);
    const [version, , last] = records.map(readFields) as [never, never, [number, bigint | Uint8Array][]];
    expect(decoder.decode(find(version, 3))).toBe("brain.Event:2");
    expect(decoder.decode(find(readFields(find(version, 10)), 1))).toBe("logratio");
    const time = find(last, 1);
    expect(new DataView(time.buffer, time.byteOffset).getFloat64(0, true)).toBe(1.5);
    expect(last.find(([number]) => number === 2)?.[1]).toBe(300n);
    const values = readFields(find(last, 5)).map(([, value]) => {
      const fields = readFields(value as Uint8Array);
      const number = find(fields, 2);
      return [
        decoder.decode(find(fields, 1)),
        new DataView(number.buffer, number.byteOffset).getFloat32(0, true),
      ];
    });
    expect(values).toEqual([
      ["logratio/sequences", 2],
      ["logratio/k3", 0.125],
    ]);
  });

  it("writes steps below 0 and above 2^32 as int64", () => {
    const steps = [-1, 2 ** 40].map((step) => ({ step, values: [] }));
    const [, ...records] = readFrames(renderEvents(steps, 0));
    const found = records.map((record) => readFields(record).find(([number]) => number === 2)?.[1] as bigint);
    expect(found.map((step) => BigInt.asIntN(64, step))).toEqual([-1n, 2n ** 40n]);
  });
});

it("renderWandbLines writes an object per step", () => {
  expect(renderWandbLines(listStepScalars(makeReport([10, 20])).steps)).toBe(
    '{"_step":10,"logratio/sequences":1,"logratio/k3":0}\n{"_step":20,"logratio/sequences":2,"logratio/k3":0.125}\n',
  );
});

describe("renderPrometheus", () => {
  it("writes each metric once, with the run and its last step", () => {
    expect(renderPrometheus(makeReport([10, 20]))).toBe(
      `# HELP logratio_tokens tokens of logratio report --json
# TYPE logratio_tokens gauge
logratio_tokens{run="stale",part="run"} 30
# HELP logratio_k3 k3 of logratio report --json
# TYPE logratio_k3 gauge
logratio_k3{run="stale",part="run"} 0.25
logratio_k3{run="stale",part="last_step"} 0.125
# HELP logratio_excluded_missing excluded_missing of logratio report --json
# TYPE logratio_excluded_missing gauge
logratio_excluded_missing{run="stale",part="run"} 2
# HELP logratio_excluded_delta_negative_infinite excluded_delta_negative_infinite of logratio report --json
# TYPE logratio_excluded_delta_negative_infinite gauge
logratio_excluded_delta_negative_infinite{run="stale",part="run"} 0
# HELP logratio_excluded_delta_positive_infinite excluded_delta_positive_infinite of logratio report --json
# TYPE logratio_excluded_delta_positive_infinite gauge
logratio_excluded_delta_positive_infinite{run="stale",part="run"} 0
# HELP logratio_step step of logratio report --json
# TYPE logratio_step gauge
logratio_step{run="stale",part="last_step"} 20
# HELP logratio_sequences sequences of logratio report --json
# TYPE logratio_sequences gauge
logratio_sequences{run="stale",part="last_step"} 2
`,
    );
  });

  it("escapes the run's name and has no last step where steps are unknown", () => {
    const text = renderPrometheus(makeReport([null], 'a"b\\c\nd'));
    expect(text).toContain('logratio_tokens{run="a\\"b\\\\c\\nd",part="run"} 30\n');
    expect(text).not.toContain("last_step");
  });
});
