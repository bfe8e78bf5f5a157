/**
 * Figures of every turn of a run.
 *
 * @module
 */
import { decodeArrays, encodeArrays } from "./arrays.ts";

/** Turns with a token of mask 1 and a finite Δ, by sequence in the order of the table of sequences. */
export interface TurnTable {
  /** `[sequences + 1]`: turns of sequence i are at `[offsets[i], offsets[i + 1])`, ascending. */
  readonly offsets: Uint32Array;
  /** From 0. */
  readonly turns: Uint16Array;
  /** Number of those tokens. */
  readonly tokens: Uint32Array;
  /** Nats. */
  readonly deltaAbsMean: Float64Array;
  readonly deltaAbsMax: Float64Array;
  /** The response token with the largest |Δ|. */
  readonly worst: Uint32Array;
}

export interface TurnFigures {
  readonly turn: number;
  readonly tokens: number;
  readonly deltaAbsMean: number;
  readonly deltaAbsMax: number;
  readonly worst: number;
}

export function encodeTurns(table: TurnTable): Uint8Array {
  return encodeArrays({}, { ...table });
}

/** @throws FormatError */
export function decodeTurns(bytes: Uint8Array): TurnTable {
  return decodeArrays(bytes).arrays as unknown as TurnTable;
}

/** The turns of one sequence; empty for one that is not in the table. */
export function listTurns(table: TurnTable, sequence: number): TurnFigures[] {
  const { offsets, turns, tokens, deltaAbsMean, deltaAbsMax, worst } = table;
  const figures: TurnFigures[] = [];
  for (let at = offsets[sequence] ?? 0; at < (offsets[sequence + 1] ?? 0); at++) {
    figures.push({
      turn: turns[at]!,
      tokens: tokens[at]!,
      deltaAbsMean: deltaAbsMean[at]!,
      deltaAbsMax: deltaAbsMax[at]!,
      worst: worst[at]!,
    });
  }
  return figures;
}
