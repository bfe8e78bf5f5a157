/**
 * Every token of a served run, and plain sums over any of them, with which the page's figures are compared.
 *
 * @module
 */

import { TOKEN_FLAGS } from "../../src/core/base/token-class.ts";
import { turnOfMark } from "../../src/core/kernels/turns.ts";
import type { RunInfo } from "../../src/results/view.ts";
import { decodeSequence } from "../../src/results/wire/sequence.ts";

/** A token that the policy sampled. */
export interface OwnToken {
  readonly handle: string;
  /** Handle of its sequence. */
  readonly sequence: string;
  readonly step: number;
  readonly correct: boolean;
  readonly group: string;
  readonly id: number;
  readonly isNumber: boolean;
  /** The tenth of the response in which it lies. */
  readonly tenth: number;
  readonly turn: number | null;
  readonly rollout: number;
  readonly delta: number;
  readonly advantage: number;
}

export async function readOwnTokens(url: string): Promise<OwnToken[]> {
  const info = (await (await fetch(new URL("api/run", url))).json()) as RunInfo;
  const all: OwnToken[] = [];
  for (let index = 0; index < info.sequences; index++) {
    const answer = await fetch(new URL(`api/sequence/${index}`, url));
    const { meta, mask, rollout, trainer, turnMarks, flags, ids, advantages } = decodeSequence(
      new Uint8Array(await answer.arrayBuffer()),
    );
    for (const [at, own] of mask.entries())
      if (own === 1)
        all.push({
          handle: `${meta.handle}.t${at}`,
          sequence: meta.handle,
          step: meta.step!,
          correct: meta.correct === 1,
          group: meta.group!,
          id: ids[meta.promptLength + at]!,
          isNumber: (flags[meta.promptLength + at]! & TOKEN_FLAGS.digit) !== 0,
          tenth: Math.floor((10 * at) / mask.length),
          turn: turnOfMark(turnMarks[at]!) ?? null,
          rollout: rollout[at]!,
          delta: trainer[at]! - rollout[at]!,
          advantage: advantages![at]!,
        });
  }
  return all;
}

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
export const mean = (values: readonly number[]): number => sum(values) / values.length;
export const size = ({ delta }: OwnToken): number => Math.abs(delta);
export const k3 = ({ delta }: OwnToken): number => Math.expm1(delta) - delta;
/** A·(ρ − 1). */
export const impact = ({ advantage, delta }: OwnToken): number => advantage * Math.expm1(delta);

/** Figures of some tokens among all of them, under the names in the page's tables. */
export function figuresOf(some: readonly OwnToken[], all: readonly OwnToken[]): Record<string, number> {
  const share = (of: (token: OwnToken) => number): number => sum(some.map(of)) / sum(all.map(of));
  const [own] = some;
  return {
    tokens: some.length,
    "mean Δ": mean(some.map(({ delta }) => delta)),
    "mean |Δ|": mean(some.map(size)),
    "max |Δ|": Math.max(...some.map(size)),
    k3: mean(some.map(k3)),
    "Σ Δ": sum(some.map(({ delta }) => delta)),
    "of tokens": some.length / all.length,
    "of Σ k3": share(k3),
    "share of k3": share(k3),
    "of Σ |Δ|": share(size),
    "Σ |A|·|ρ − 1|": sum(some.map((token) => Math.abs(impact(token)))),
    "of all": share((token) => Math.abs(impact(token))),
    "Σ A·(ρ − 1)": sum(some.map(impact)),
    "mean advantage": mean(some.map(({ advantage }) => advantage)),
    // For a single token.
    Δ: own!.delta,
    "p rollout": Math.exp(own!.rollout),
    "p trainer": Math.exp(own!.rollout + own!.delta),
    "A·(ρ − 1)": impact(own!),
    advantage: own!.advantage,
    "token id": own!.id,
    turn: own!.turn ?? Number.NaN,
    step: own!.step,
    "|Δ|": size(own!),
  };
}

export function groupBy<Key>(
  tokens: readonly OwnToken[],
  key: (token: OwnToken) => Key,
): Map<Key, OwnToken[]> {
  const groups = new Map<Key, OwnToken[]>();
  for (const token of tokens) {
    const own = groups.get(key(token));
    if (own === undefined) groups.set(key(token), [token]);
    else own.push(token);
  }
  return groups;
}
