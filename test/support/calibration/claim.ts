/**
 * Makes the tool's statements about its own certainty testable: generate a run whose truth is known, ask the tool,
 * count how often it was right.
 *
 * @module
 */

/** One statement of the tool (an interval, a test, a fact, an answer) about runs of one kind. */
export interface Claim {
  readonly method: string;
  readonly process: string;
  /** What the rate counts: "coverage", "false alarms" */
  readonly rate: string;
  readonly nominal: number;
  /** Wide limits that a short run must meet. */
  readonly limits: readonly [number, number];
  /** Whether one simulated run counts; undefined if the tool withholds its statement. */
  once(random: () => number): boolean | undefined;
}

/**
 * The share that counts of those of `runs` simulated runs in which the tool makes its statement, from the claim's own seed, so that claims do not affect one another.
 */
export function measureRate(claim: Claim, runs: number): number {
  const random = seededRandom(`${claim.method} ${claim.process} ${claim.rate}`);
  let [counted, given] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const counts = claim.once(random);
    if (counts !== undefined) given++;
    if (counts) counted++;
  }
  return counted / given;
}

/** Uniform numbers in [0, 1), the same for the same seed: splitmix32 (Steele, Lea and Flood 2014, 32-bit constants). */
export function seededRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const letter of seed) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** A standard normal number (Box and Muller 1958). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A number from Student's t distribution with two degrees of freedom, whose variance is infinite. */
export function studentTwo(random: () => number): number {
  const u = 2 * random() - 1;
  return (u * Math.SQRT2) / Math.sqrt(1 - u * u);
}
