import { afterEach, describe, expect, it } from "vitest";
import { ByteReader } from "../base/byte-reader.ts";
import { ByteWriter } from "../base/byte-writer.ts";
import { DEFAULT_MEMORY_LIMIT, setMemoryLimit } from "../base/memory-limit.ts";
import { BinnedSums, countPlaces } from "./binned-sums.ts";
import { ClusterShares } from "./cluster-shares.ts";
import { ClusterSums } from "./cluster-sums.ts";
import { GradientSums } from "./gradient-sums.ts";
import { GroupSums } from "./group-sums.ts";
import { MismatchSummary } from "./mismatch-summary.ts";
import { SequenceSample } from "./sequence-sample.ts";
import { ValueSketch } from "./value-sketch.ts";

type Write = (to: ByteWriter) => void;
type Mergeable = { mergeFrom(from: ByteReader): void };

/** Reads crafted bytes; those of one too few or too many are refused before what is expected here. */
function read<T extends Mergeable>(into: T, write: Write): T {
  const to = new ByteWriter();
  write(to);
  const from = new ByteReader(to.finish(), "shard");
  into.mergeFrom(from);
  from.end();
  return into;
}

const empty =
  (places: number): Write =>
  (to) =>
    new BinnedSums(places).encode(to, countPlaces(places));

/** Sums of clusters with these keys and nothing else. */
const shares =
  (bits: number, keys: readonly number[]): Write =>
  (to) => {
    to.whole(bits);
    to.ascending(keys);
    empty(2 * keys.length)(to);
  };
const clusters =
  (bits: number, keys: readonly number[]): Write =>
  (to) => {
    for (const value of [bits, keys.length, keys.length]) to.whole(value);
    empty(3)(to);
    to.ascending(keys);
    for (let i = 0; i < 3 * keys.length; i++) to.whole(1);
    empty(9 * keys.length)(to);
  };
const sketch =
  (width: number, cells: readonly number[], beyond: number): Write =>
  (to) => {
    to.whole(width);
    to.floats([0, 1]);
    to.ascending(cells);
    for (let i = 0; i < cells.length; i++) to.whole(1);
    to.whole(beyond);
    for (let i = 1; i < Math.min(beyond, 4); i++) to.whole(0);
  };
const gradients =
  (steps: readonly number[]): Write =>
  (to) => {
    to.whole(steps.length);
    for (const step of steps) {
      to.float(step);
      for (let i = 0; i < 3; i++) to.whole(1);
    }
    empty(8 * steps.length)(to);
  };
const groups =
  (list: readonly number[], largest: readonly number[]): Write =>
  (to) => {
    to.ascending(list);
    for (let i = 0; i < list.length; i++) to.whole(1);
    to.bits(new Uint8Array(list.length));
    to.measured(largest);
    empty(3 * list.length)(to);
  };

describe("sums that were damaged on their way", () => {
  it.each<[what: string, into: () => Mergeable, write: Write, message: string]>([
    ["shares of a cluster twice", () => new ClusterShares(), shares(53, [5, 5]), "keys are not distinct"],
    [
      "shares of a key beyond its bits",
      () => new ClusterShares(),
      shares(4, [3, 16]),
      "a key is out of range",
    ],
    ["shares of too wide keys", () => new ClusterShares(), shares(54, []), "keys have 54 bits"],
    ["a cluster twice", () => new ClusterSums(), clusters(53, [5, 5]), "keys are not distinct"],
    ["a key beyond its bits", () => new ClusterSums(), clusters(4, [3, 16]), "a key is out of range"],
    ["keys without a bit", () => new ClusterSums(), clusters(0, []), "keys have 0 bits"],
    ["too wide keys", () => new ClusterSums(), clusters(54, []), "keys have 54 bits"],
    ["too wide keys of a slice", () => new ClusterSums(256), clusters(31, []), "keys have 31 bits"],
    [
      "a sketch of another width",
      () => new ValueSketch(7),
      sketch(10, [], 0),
      "has 10 bits, and should have 7",
    ],
    ["a cell beyond the last", () => new ValueSketch(7), sketch(7, [512 * 128], 0), "a cell is out of range"],
    [
      "more counts than bytes",
      () => new ValueSketch(7),
      sketch(7, [], 1000),
      "999 counts are declared, 3 bytes",
    ],
    ["a step twice", () => new GradientSums(), gradients([2, 2]), "a key is there twice"],
    ["a step twice that is unknown", () => new GradientSums(), gradients([NaN, NaN]), "a key is there twice"],
    [
      "a group that no vocabulary has",
      () => new GroupSums(),
      groups([2 ** 24 + 1], [1]),
      "a group is 16777217",
    ],
    ["too few largest values", () => new GroupSums(), groups([1, 2], [1]), "1 groups have a largest value"],
    ["too many sequences", () => new SequenceSample(), crowd(40), "40 sequences are declared"],
  ])("are refused: %s", (_, into, write, message) => {
    expect(() => read(into(), write)).toThrow(`shard does not hold a summary: `);
    expect(() => read(into(), write)).toThrow(message);
  });

  it("are read up to what is allowed", () => {
    expect(read(new ClusterShares(), shares(4, [3, 15])).count).toBe(2);
    expect(read(new ClusterShares(), shares(53, [])).count).toBe(0);
    expect(read(new ClusterSums(), clusters(53, [3, 2 ** 53 - 1])).count).toBe(2);
    expect(read(new ClusterSums(), clusters(1, [0, 1])).count).toBe(2);
    expect(read(new ClusterSums(256), clusters(30, [])).sequences).toBe(0);
    expect(read(new ValueSketch(7), sketch(7, [512 * 128 - 1], 4)).count).toBe(1);
    expect(read(new GradientSums(), gradients([NaN, 2])).steps).toEqual([2, NaN]);
    expect([...read(new GroupSums(), groups([7], [1])).rows()]).toMatchObject([{ group: 7, count: 1 }]);
  });

  it("are not added to a summary of another detail, or with clusters of other number", () => {
    const write =
      (summary: MismatchSummary): Write =>
      (to) =>
        summary.encode(to);
    const slice = new MismatchSummary({ detail: "slice" });
    expect(() => read(new MismatchSummary(), write(slice))).toThrow("a summary is of another detail");
    const few = new MismatchSummary({ detail: "slice", clusters: 16 });
    expect(() => read(new MismatchSummary({ detail: "slice" }), write(few))).toThrow("of another detail");
    expect(read(new MismatchSummary({ detail: "slice", clusters: 16 }), write(few)).toJSON()).toEqual(
      few.toJSON(),
    );
  });

  it("are called by what held them", () => {
    const { version, encoded } = new MismatchSummary().toJSON();
    const damaged = { version, encoded: `${encoded.slice(0, 4)}${encoded}` };
    expect(() => MismatchSummary.fromJSON(damaged)).toThrow("JSON does not hold a summary");
  });
});

/** A sample that declares so many sequences of one cluster, and has none. */
function crowd(sequences: number): Write {
  return (to) => {
    for (const value of [sequences, 0]) to.whole(value);
    to.float(Number.POSITIVE_INFINITY);
    to.ascending([5]);
    to.whole(sequences);
    for (let i = 0; i < 30; i++) to.byte(0);
  };
}

describe("cells all over the numbers", () => {
  afterEach(() => setMemoryLimit(DEFAULT_MEMORY_LIMIT));

  it("are refused before pages are made that take more than the memory limit", () => {
    const pages = Array.from({ length: 400 }, (_, page) => page << 10);
    const sketch: Write = (to) => {
      to.whole(10);
      to.floats([0, 1]);
      to.ascending(pages);
      for (const _ of pages) to.whole(100);
      to.whole(0);
    };
    // 400 pages of 4 KiB.
    setMemoryLimit(2 ** 21);
    expect(read(new ValueSketch(10), sketch).count).toBe(40_000);
    setMemoryLimit(2 ** 20);
    expect(() => read(new ValueSketch(10), sketch)).toThrow(/the summary/);
  });
});
