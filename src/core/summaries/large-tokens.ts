/**
 * The largest tokens whose ratio is outside [½, 2], from which the mistakes of a run are found.
 *
 * A mistake is a set of tokens, and its sums are known only once all of them are. Keeping sums of every set would take
 * memory that grows with the run, and dropping some of them early would make the rest depend on the order of shards.
 * The largest tokens do not depend on it: those of shards, merged in any order or tree, are those of the whole. So
 * tokens are kept, and sets are formed from them at the end.
 *
 * @module
 */
import { FLAG, listOf, NAME, NUMBER, recordOf, SIGNED, WHOLE } from "../base/codec.ts";
import { computeImpact } from "../kernels/impact.ts";
import { formatHandle } from "../schema/record.ts";
import { TWOFOLD_DELTA } from "./cell-counts.ts";
import { DETAILS, type LargeTokenDetails } from "./large-token-details.ts";
import { contents, type Layout, layoutOf } from "./layout/layout.ts";
import { Sums } from "./layout/sums.ts";
import { TopList } from "./top-list.ts";

/** |Δ| from which a token is large, nats: about ln 2, where the ratio leaves [½, 2]. Float32 holds it exactly. */
export const LARGE_DELTA = TWOFOLD_DELTA;

/** Tokens kept by |Δ|, and by impact. */
const LARGE_TOKENS_KEPT = 1024;

/** Contents whose largest token is kept with its surroundings, by |Δ| and by impact. */
const DETAILS_KEPT = 64;

/** A large token. Unknown numbers are NaN, unknown ids -1. */
export interface LargeToken {
  readonly file: string;
  /** Index of its batch in the file. */
  readonly batch: number;
  readonly step: number;
  readonly rank: number;
  /** Row in its batch or file, as in its handle. */
  readonly row: number;
  /** Index in the response. */
  readonly token: number;
  readonly turn: number;
  readonly id: number;
  /** Nats. */
  readonly rollout: number;
  readonly trainer: number;
  readonly advantage: number;
  /** 1 if the answer is right, 0 if it is wrong. */
  readonly correct: number;
  /** Key of the prompt, the same at every step; that of the sequence if the prompt is unknown. */
  readonly prompt: number;
  readonly isPrompt: boolean;
  /** Key of the step and the prompt: see `ClusterSums`. */
  readonly cluster: number;
  /** Sequences of the cluster in this batch. */
  readonly siblings: number;
  /** Key of what was written where: prompt, token id and the ids before it. */
  readonly content: number;
}

/** A token with what surrounds it. */
export interface DetailedToken {
  readonly token: LargeToken;
  readonly details: LargeTokenDetails;
}

/** Δ in single precision, as sums over tokens have it. */
export function deltaOf({ rollout, trainer }: Pick<LargeToken, "rollout" | "trainer">): number {
  return Math.fround(trainer - rollout);
}

/** |A||ρ − 1|; NaN if the advantage is unknown or ρ overflows. */
export function impactOf({
  rollout,
  trainer,
  advantage,
}: Pick<LargeToken, "rollout" | "trainer" | "advantage">): number {
  const impact = Math.abs(computeImpact(advantage, trainer - rollout));
  return impact === Number.POSITIVE_INFINITY ? Number.NaN : impact;
}

/** Its handle in reports: `s12.r3.q41.t880`. */
export function tokenHandle({ step, rank, row, token }: LargeToken): string {
  return formatHandle({ step, rank, sequence: row, token });
}

/** Orders tokens with the same score, as in the lists of worst tokens. */
function placeOf(token: LargeToken): string {
  return `${token.file} ${tokenHandle(token)}`;
}

const sizeOf = (token: LargeToken): number => Math.abs(deltaOf(token));

const TOKEN = recordOf<LargeToken>({
  file: NAME,
  batch: WHOLE,
  row: WHOLE,
  token: WHOLE,
  turn: WHOLE,
  siblings: WHOLE,
  id: SIGNED,
  isPrompt: FLAG,
  step: NUMBER,
  rank: NUMBER,
  rollout: NUMBER,
  trainer: NUMBER,
  advantage: NUMBER,
  correct: NUMBER,
  prompt: NUMBER,
  cluster: NUMBER,
  content: NUMBER,
});
const DETAILED = recordOf<DetailedToken>({ token: TOKEN, details: DETAILS });

export class LargeTokens extends Sums {
  static readonly layout = layoutOf<LargeTokens>({
    tokens: contents(
      listOf(TOKEN),
      (tokens) => tokens.list(),
      (tokens, list) => {
        for (const token of list) tokens.#addToken(token);
      },
    ),
    byDelta: LargeTokens.#detailed(0),
    byImpact: LargeTokens.#detailed(1),
  });
  readonly #byDelta: TopList<LargeToken>;
  readonly #byImpact: TopList<LargeToken>;
  readonly #details: readonly [byDelta: BestOfContents, byImpact: BestOfContents];

  constructor(kept = LARGE_TOKENS_KEPT, details = DETAILS_KEPT) {
    super();
    this.#byDelta = new TopList(kept, sizeOf, placeOf);
    this.#byImpact = new TopList(kept, impactOf, placeOf);
    this.#details = [new BestOfContents(details, sizeOf), new BestOfContents(details, impactOf)];
  }

  /** Tokens of a smaller |Δ| are kept for their impact only. */
  get threshold(): number {
    return Math.max(LARGE_DELTA, this.#byDelta.threshold);
  }

  /** Tokens of a smaller impact are kept for their |Δ| only. */
  get impactThreshold(): number {
    return Math.max(0, this.#byImpact.threshold);
  }

  /** Whether a token that is as large as the smallest in one of the lists would enter it; see `TopList.admitsTie`. */
  admitsTie(place: string): boolean {
    return this.#byDelta.admitsTie(place) || this.#byImpact.admitsTie(place);
  }

  /** Adds a token; `describe` is called if its surroundings are to be kept. */
  add(token: LargeToken, describe: () => LargeTokenDetails): void {
    this.#addToken(token);
    let details: LargeTokenDetails | undefined;
    for (const best of this.#details)
      best.add(token, () => {
        details ??= describe();
        return details;
      });
  }

  #addToken(token: LargeToken): void {
    this.#byDelta.add(token);
    if (impactOf(token) > 0) this.#byImpact.add(token);
  }

  /** The kept tokens, each once, in an order that does not depend on that of the input. */
  list(): readonly LargeToken[] {
    return [...new Set([...this.#byDelta.list(), ...this.#byImpact.list()])];
  }

  /** The largest tokens, one per content, with what surrounds them: by |Δ|, and by impact. */
  detailed(): readonly [byDelta: readonly DetailedToken[], byImpact: readonly DetailedToken[]] {
    return [this.#details[0].list(this.#byDelta), this.#details[1].list(this.#byImpact)];
  }

  /** One of the lists of {@link detailed}: by |Δ| (0), or by impact (1). */
  static #detailed(which: 0 | 1): Layout<LargeTokens> {
    return contents(
      listOf(DETAILED),
      (tokens) => tokens.detailed()[which],
      (tokens, detailed) => {
        for (const { token, details } of detailed) tokens.#details[which].add(token, () => details);
      },
    );
  }
}

/** The k largest of the tokens that have the largest score of their content; merging in any order gives the same. */
class BestOfContents {
  readonly #k: number;
  readonly #score: (token: LargeToken) => number;
  /** Best first. */
  #items: DetailedToken[] = [];

  constructor(k: number, score: (token: LargeToken) => number) {
    this.#k = k;
    this.#score = score;
  }

  add(token: LargeToken, describe: () => LargeTokenDetails): void {
    const score = this.#score(token);
    if (!(score > 0)) return;
    const items = this.#items;
    const last = items.at(-1);
    if (items.length === this.#k && last !== undefined && !this.#isBefore(token, score, last.token)) return;
    const known = items.findIndex(({ token: { content } }) => content === token.content);
    if (known >= 0) {
      if (!this.#isBefore(token, score, items[known]!.token)) return;
      items.splice(known, 1);
    }
    const at = items.findIndex((item) => this.#isBefore(token, score, item.token));
    items.splice(at < 0 ? items.length : at, 0, { token, details: describe() });
    items.length = Math.min(items.length, this.#k);
  }

  #isBefore(token: LargeToken, score: number, other: LargeToken): boolean {
    const difference = score - this.#score(other);
    return difference !== 0 ? difference > 0 : placeOf(token) < placeOf(other);
  }

  /** Without tokens that fell out of the list of tokens: whether they were ever added here depends on the order. */
  list(tokens: TopList<LargeToken>): readonly DetailedToken[] {
    const last = tokens.list().at(-1);
    if (last === undefined || tokens.threshold === Number.NEGATIVE_INFINITY) return this.#items;
    const score = this.#score(last);
    return this.#items.filter(({ token }) => !this.#isBefore(last, score, token));
  }
}
