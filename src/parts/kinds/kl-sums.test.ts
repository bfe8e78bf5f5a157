import { describe, expect, it } from "vitest";
import { ByteReader } from "../../core/base/byte-reader.ts";
import { ByteWriter } from "../../core/base/byte-writer.ts";
import { SchemaError } from "../../core/base/errors.ts";
import { decidesSums } from "./index.ts";
import { KlSums } from "./kl-sums.ts";

type Study = Parameters<KlSums["add"]>[1];

interface Draft {
  /** Tokens of each text at the last checkpoint; a text's KL is its number of tokens. */
  readonly tokens: readonly number[];
  /** Prefix of the texts' names. */
  readonly name?: string;
}

/** A study with an earlier and a last checkpoint, in which every text is kept for revisiting. */
function makeStudy({ tokens, name = "t" }: Draft): Study {
  const summarize = (isLast: boolean) =>
    tokens.map((count, index) => ({
      ...{ index, text: `${name}${index}`, problem: `${name}${index}`, tokens: isLast ? count : 9 * count },
      // At the checkpoint before the last, texts have the opposite order.
      ...{ exact: true, meanKl: isLast ? count : 1 / count, maxKl: count, meanDelta: 0, spikes: [] },
    }));
  return {
    study: name,
    reference: "ref",
    policies: new Map(),
    vocabularySize: null,
    maskedOutTokens: 0,
    texts: tokens.map((_, index) => ({ id: `${name}${index}`, otherResults: [] })),
    checkpoints: [
      {
        name: "rl_10",
        role: "checkpoint",
        step: 10,
        stage: null,
        texts: summarize(false),
        outcomes: new Map(),
      },
      {
        name: "rl_30",
        role: "checkpoint",
        step: 30,
        stage: null,
        texts: summarize(true),
        outcomes: new Map(),
      },
    ],
    pairs: [],
    looked: tokens.map((_, index) => ({ index, text: { correct: false }, kl: new Map(), delta: new Map() })),
  } as unknown as Study;
}

/** A study without texts: its encoding needs no summaries. */
const empty = (name: string): Study => ({ ...makeStudy({ tokens: [], name }), checkpoints: [] });

function toBytes(sums: KlSums): ReturnType<ByteWriter["finishApart"]> {
  const to = new ByteWriter();
  sums.encode(to);
  return to.finishApart();
}

function fromBytes(bytes: ReturnType<typeof toBytes>, into = new KlSums()): KlSums {
  into.mergeFrom(new ByteReader(bytes, "part.lrs"));
  return into;
}

describe("sums of studies", () => {
  it("count texts, and tokens of the last checkpoint", () => {
    const sums = new KlSums();
    expect([sums.settings, sums.sequences, sums.tokens]).toEqual([undefined, 0, 0]);
    sums.add("b.study", makeStudy({ tokens: [3, 4] }), "{}");
    sums.add("a.study", makeStudy({ tokens: [5] }), "{}");
    expect([sums.settings, sums.sequences, sums.tokens]).toEqual(["{}", 3, 12]);
    expect([...sums.sequencesByFile]).toEqual([
      ["b.study", 2],
      ["a.study", 1],
    ]);
    expect(sums.list(["a.study", "missing", "b.study"]).map(({ at }) => at)).toEqual(["a.study", "b.study"]);
  });

  it("are the same bytes in any order, and none of nothing", () => {
    const [one, other] = [new KlSums(), new KlSums()];
    for (const name of ["a", "b"]) one.add(name, empty(name), "{}");
    for (const name of ["b", "a"]) other.add(name, empty(name), "{}");
    expect(toBytes(one)).toEqual(toBytes(other));
    expect([...fromBytes(toBytes(one)).sequencesByFile.keys()]).toEqual(["a", "b"]);
    const nothing = fromBytes(toBytes(new KlSums()));
    expect([nothing.settings, nothing.sequences]).toEqual([undefined, 0]);
    one.merge(nothing);
    nothing.merge(one);
    expect([nothing.settings, [...nothing.sequencesByFile.keys()]]).toEqual(["{}", ["a", "b"]]);
  });

  it("are of one way to judge tokens, whichever way they come together", () => {
    const sums = new KlSums();
    sums.add("a.study", empty("a"), "{}");
    const other = new KlSums();
    other.add("b.study", empty("b"), '{"parity":"rl-probe"}');
    const refused = (join: () => void) => {
      expect(join).toThrow(SchemaError);
      expect(join).toThrow('b.study is read with other settings than a.study: {"parity":"rl-probe"}');
    };
    refused(() => sums.add("b.study", empty("b"), '{"parity":"rl-probe"}'));
    refused(() => sums.merge(other));
    refused(() => fromBytes(toBytes(other), sums));
  });

  it("are decided by every flag that says how tokens are judged, and not by those of the report", () => {
    const spikes = ["spikes", "spikeThreshold", "spikeDistance", "spikePercentile"];
    for (const flag of ["outcomes", ...spikes, "parity", "floor"])
      expect(decidesSums("kl", flag, {}), flag).toBe(true);
    for (const flag of ["alpha", "bootstrap", "cases", "seed", "figureFormat", "figureDpi"])
      expect(decidesSums("kl", flag, {}), flag).toBe(false);
    expect(decidesSums("kl", "level", {})).toBe(false);
  });

  it("leave of many texts those that a report may still choose", () => {
    const sums = new KlSums();
    const study = makeStudy({ tokens: Array.from({ length: 300 }, (_, i) => i + 1) });
    sums.add("a.study", study, "{}");
    const looked = () => sums.list(["a.study", "b.study"]).map(({ sums: { looked: some } }) => some.length);
    expect(looked()).toEqual([300]);
    // 501 are too many; the one with the largest KL stays, wherever it is.
    sums.add(
      "b.study",
      makeStudy({ tokens: Array.from({ length: 201 }, (_, i) => 1000 + i), name: "u" }),
      "{}",
    );
    const [a, b] = looked() as [number, number];
    expect(a + b).toBeLessThan(60);
    expect(b).toBeGreaterThan(0);
    const [, kept] = sums.list(["a.study", "b.study"]);
    expect(kept!.sums.looked.map(({ index }) => index)).toContain(200);
  });
});
