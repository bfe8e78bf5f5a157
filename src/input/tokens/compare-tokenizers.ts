import { readFile } from "node:fs/promises";
import { loadTokenizer } from "./open-tokenizer.ts";

/** How the ids of two tokenizers differ. */
export interface TokenizerDifference {
  /** One more than the largest id of each. */
  readonly sizes: readonly [number, number];
  /** Ids that both have, but for different tokens: texts of one are wrong for the other. */
  readonly conflicts: {
    readonly count: number;
    /** The smallest of them, and its token in each. */
    readonly id: number;
    readonly tokens: readonly [string, string];
  } | null;
  /**
   * Ids that only one of them has: added tokens, or a vocabulary that was padded to a round size. Texts without them
   * mean the same in both.
   */
  readonly onlyIn: {
    readonly which: "a" | "b" | "both";
    readonly count: number;
    /** The smallest of them, and its token. */
    readonly id: number;
    readonly token: string;
  } | null;
  /** The differences as one sentence, without a full stop. */
  readonly message: string;
}

/**
 * Whether two models' token ids mean the same: compares, id by id, the tokens of two directories with `tokenizer.json`
 * (or of two such files). How text is split into tokens is not compared: with given ids it does not matter.
 *
 * @returns undefined when every id has the same token in both
 * @throws errors of `openTokenizer`
 */
export async function compareTokenizers(a: string, b: string): Promise<TokenizerDifference | undefined> {
  const first = await loadTokenizer(a);
  const second = await loadTokenizer(b);
  const [bytesA, bytesB] = await Promise.all([readFile(first.file), readFile(second.file)]);
  if (bytesA.equals(bytesB)) return undefined;
  const tokens = [tokensById(first.tokenizer.get_vocab()), tokensById(second.tokenizer.get_vocab())] as const;
  return difference(a, b, tokens);
}

function tokensById(vocabulary: ReadonlyMap<string, number>): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  for (const [token, id] of vocabulary) tokens[id] = token;
  return tokens;
}

function difference(
  a: string,
  b: string,
  [inA, inB]: readonly [readonly (string | undefined)[], readonly (string | undefined)[]],
): TokenizerDifference | undefined {
  const conflicting: number[] = [];
  const [onlyA, onlyB]: [number[], number[]] = [[], []];
  for (let id = 0; id < Math.max(inA.length, inB.length); id++) {
    const [x, y] = [inA[id], inB[id]];
    if (x === y) continue;
    if (x === undefined) onlyB.push(id);
    else if (y === undefined) onlyA.push(id);
    else conflicting.push(id);
  }
  const [conflict] = conflicting;
  const alone = [...onlyA, ...onlyB].sort((x, y) => x - y);
  const [only] = alone;
  if (conflict === undefined && only === undefined) return undefined;
  const conflicts =
    conflict === undefined
      ? null
      : {
          count: conflicting.length,
          id: conflict,
          tokens: [inA[conflict]!, inB[conflict]!] as const,
        };
  const which = onlyA.length === 0 ? "b" : onlyB.length === 0 ? "a" : "both";
  const onlyIn =
    only === undefined
      ? null
      : ({ which, count: alone.length, id: only, token: (inA[only] ?? inB[only])! } as const);
  const parts: string[] = [];
  if (conflicts !== null) {
    const [x, y] = conflicts.tokens;
    parts.push(
      `${count(conflicts.count, "id")} mean${conflicts.count === 1 ? "s" : ""} different tokens in ${a} and ${b}, first ${conflicts.id}: ${JSON.stringify(x)} and ${JSON.stringify(y)}`,
    );
  }
  if (onlyIn !== null) {
    const where = which === "both" ? "one of them" : which === "a" ? a : b;
    parts.push(
      `${count(onlyIn.count, "id")} ${onlyIn.count === 1 ? "has a token" : "have tokens"} in ${where} only, first ${onlyIn.id}: ${JSON.stringify(onlyIn.token)}`,
    );
  }
  const sizes = [inA.length, inB.length] as const;
  return { sizes, conflicts, onlyIn, message: `${parts.join("; ")} (${sizes[0]} and ${sizes[1]} ids)` };
}

function count(n: number, what: string): string {
  return n === 1 ? `1 ${what}` : `${n} ${what}s`;
}
