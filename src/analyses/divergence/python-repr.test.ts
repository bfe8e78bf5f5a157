import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pythonRepr } from "./python-repr.ts";

const FIXTURE = new URL("../../../test/fixtures/divergence/python_repr.json", import.meta.url);
const { unprintable, unassigned, texts } = JSON.parse(readFileSync(FIXTURE, "utf8")) as {
  /** Runs of code points as [first, last, first, last, …]. */
  readonly unprintable: readonly number[];
  readonly unassigned: readonly number[];
  readonly texts: readonly (readonly [text: string, repr: string])[];
};

function members(runs: readonly number[]): Uint8Array {
  const set = new Uint8Array(0x110000);
  for (let i = 0; i < runs.length; i += 2) set.fill(1, runs[i], runs[i + 1]! + 1);
  return set;
}

describe("pythonRepr", () => {
  it.each(texts)("prints %j as CPython does", (text, repr) => {
    expect(pythonRepr(text)).toBe(repr);
  });

  it("escapes the same code points as CPython, but for characters that its Unicode does not have yet", () => {
    const escaped = members(unprintable);
    const unknown = members(unassigned);
    const wrong: string[] = [];
    for (let code = 0; code < 0x110000; code++) {
      const character = String.fromCodePoint(code);
      const printed = pythonRepr(character);
      const escapes = printed.length > 2 + character.length && printed[1] === "\\" && character !== "\\";
      const newer = unknown[code] === 1 && /\P{Cn}/u.test(character);
      if (escapes !== (escaped[code] === 1) && !newer) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});
