/**
 * Three columns told apart: rollout (A), the engine's prefill of the same text (B), trainer (C). The decode leg is A
 * from B, the trainer leg B from C. What causes a difference is not for this folder.
 *
 * @module
 */
export { LegSums } from "./leg-sums.ts";
export { Legs, type LegsResult } from "./legs.ts";
