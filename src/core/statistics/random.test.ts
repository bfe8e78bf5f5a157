import fc from "fast-check";
import { expect, it } from "vitest";
import { sized } from "../../../test/support/run-size.ts";
import { nextState, seededRandom, toInteger, toUniform } from "./random.ts";

/** Mulberry32 in whole numbers of any size, modulo 2^32. */
function* mulberry32(seed: bigint): Generator<number> {
  const wrap = (value: bigint): bigint => BigInt.asUintN(32, value);
  for (let state = wrap(seed); ; ) {
    state = wrap(state + 0x6d2b79f5n);
    let mixed = wrap((state ^ (state >> 15n)) * (state | 1n));
    mixed = wrap(mixed ^ (mixed + wrap((mixed ^ (mixed >> 7n)) * (mixed | 61n))));
    yield Number(mixed ^ (mixed >> 14n)) / 2 ** 32;
  }
}

it.each([0, 1, 2 ** 31, 2 ** 32 - 1, -5])("draws what Mulberry32 draws from %d, either way", (seed) => {
  const random = seededRandom(seed);
  const wanted = mulberry32(BigInt(seed));
  let state = seed | 0;
  for (let i = 0; i < 1000; i++) {
    state = nextState(state);
    const { value } = wanted.next();
    expect([random(), toUniform(state)]).toEqual([value, value]);
  }
});

it("draws integers that are the uniform number times their count, rounded down", () => {
  const counts = fc.oneof(
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 2 ** 16 }),
    fc.constantFrom(2 ** 16 - 1, 2 ** 16, 2 ** 16 + 1, 2 ** 21),
  );
  fc.assert(
    fc.property(fc.integer(), counts, (state, count) => {
      expect(toInteger(state, count)).toBe(Math.floor(toUniform(state) * count));
    }),
    { numRuns: sized(5000, 20_000) },
  );
});
