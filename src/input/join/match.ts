/**
 * Matches the halves of the two sides.
 *
 * @module
 */
import type { SequenceDraft } from "../../core/schema/index.ts";
import type { Half } from "./half.ts";
import { digestIds, digestTexts, findComparison, listTokens } from "./same-tokens.ts";

/** What two halves have in common, the most specific first. */
export type JoinedBy =
  | "id"
  | "group and index"
  | "group and tokens"
  | "prompt and tokens"
  | "scored text"
  | "prompt"
  | "group"
  | "tokens"
  | "order";

export interface JoinedPair {
  readonly first: Half;
  readonly second: Half;
  readonly by: JoinedBy;
}

/** A shorter response may well occur under several prompts. */
const LEAST_TOKENS_ALONE = 4;

type Key = string | undefined;

function joinKey(...parts: readonly Key[]): Key {
  return parts.every((part) => part !== undefined) ? parts.join("\0") : undefined;
}

function promptIds({ promptTokenIds: ids }: SequenceDraft): Key {
  return ids === undefined || ids.length === 0 ? undefined : digestIds(ids);
}

function responseIds({ responseTokenIds: ids }: SequenceDraft): Key {
  return ids === undefined || ids.length === 0 ? undefined : digestIds(ids);
}

function responseTexts({ responseTokens: texts }: SequenceDraft): Key {
  return texts === undefined || texts.length === 0 ? undefined : digestTexts(texts);
}

function indexInGroup({ indexInGroup: index }: SequenceDraft): Key {
  return index === undefined ? undefined : String(index);
}

/** Prompt and response together, as an engine gets them for scoring. */
function wholeText({ promptTokenIds: prompt, responseTokenIds: response }: SequenceDraft): Key {
  return prompt === undefined || response === undefined || response.length === 0
    ? undefined
    : digestIds(prompt, response);
}

interface Pass {
  readonly by: JoinedBy;
  readonly first: (draft: SequenceDraft) => Key;
  /** The other side's key, if it is made in another way. */
  readonly second?: (draft: SequenceDraft) => Key;
}

const BY_ID: Pass = { by: "id", first: ({ sampleId }) => sampleId };

const PASSES: readonly Pass[] = [
  { by: "group and index", first: (draft) => joinKey(draft.groupId, indexInGroup(draft)) },
  { by: "group and tokens", first: (draft) => joinKey(draft.groupId, responseIds(draft)) },
  { by: "group and tokens", first: (draft) => joinKey(draft.groupId, responseTexts(draft)) },
  { by: "prompt and tokens", first: (draft) => joinKey(promptIds(draft), responseIds(draft)) },
  { by: "prompt and tokens", first: (draft) => joinKey(draft.promptText, responseIds(draft)) },
  { by: "prompt and tokens", first: (draft) => joinKey(draft.promptText, responseTexts(draft)) },
  { by: "scored text", first: wholeText, second: promptIds },
  { by: "scored text", first: promptIds, second: wholeText },
  { by: "prompt", first: ({ promptText }) => promptText },
  { by: "prompt", first: promptIds },
  { by: "group", first: ({ groupId }) => groupId },
  { by: "tokens", first: (draft) => (draft.length < LEAST_TOKENS_ALONE ? undefined : responseIds(draft)) },
  { by: "tokens", first: (draft) => (draft.length < LEAST_TOKENS_ALONE ? undefined : responseTexts(draft)) },
];

function agree<T>(a: T | undefined, b: T | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}

/** Whether everything that both halves state allows them to be one sequence. */
function areCompatible(a: SequenceDraft, b: SequenceDraft): boolean {
  return agree(a.promptText, b.promptText) && agree(a.step, b.step);
}

/** The unmatched halves of one side, indexed by key. */
class OpenHalves {
  readonly all: Set<Half>;
  #key: ((draft: SequenceDraft) => Key) | undefined;
  #byKey = new Map<string, Half[]>();

  constructor(halves: readonly Half[]) {
    this.all = new Set(halves);
  }

  #index(key: (draft: SequenceDraft) => Key): void {
    if (key === this.#key) return;
    this.#key = key;
    this.#byKey = new Map();
    // In reverse, so that the first is at the end, where removing it moves nothing.
    for (const half of [...this.all].reverse()) {
      const name = key(half.draft);
      if (name === undefined) continue;
      const others = this.#byKey.get(name);
      if (others === undefined) this.#byKey.set(name, [half]);
      else others.push(half);
    }
  }

  /** Takes the first half with this key that does not contradict the other. */
  take({ first, second = first }: Pass, draft: SequenceDraft): Half | undefined {
    const name = first(draft);
    if (name === undefined) return undefined;
    this.#index(second);
    const others = this.#byKey.get(name) ?? [];
    const at = others.findLastIndex((other) => areCompatible(draft, other.draft));
    if (at < 0) return undefined;
    const [found] = others.splice(at, 1);
    this.all.delete(found!);
    return found;
  }
}

export interface Matcher {
  /** The counterpart by id; such a half need not be held. */
  byId(draft: SequenceDraft): Half | undefined;
  /** Pairs among the halves left on both sides. */
  match(left: readonly Half[], total: number): JoinedPair[];
  /** Halves of the second side without a counterpart, so far. */
  unmatched(): readonly Half[];
}

/** @param second all halves of the second side */
export function createMatcher(second: readonly Half[]): Matcher {
  const open = new OpenHalves(second);

  /** Pairs by order, if each side has only one sequence or none has anything to match by. */
  const matchByOrder = (left: readonly Half[], total: number): JoinedPair[] => {
    const rest = [...open.all];
    if (left.length !== rest.length || left.length === 0) return [];
    const isOnly = total === 1 && second.length === 1;
    const isNameless = (half: Half, other: Half): boolean =>
      half.draft.sampleId === undefined &&
      other.draft.sampleId === undefined &&
      !(half.draft.groupId !== undefined && other.draft.groupId !== undefined);
    const fits = left.every((half, i) => {
      const other = rest[i]!;
      // If not even tokens can be compared, nothing says that the two are one sequence.
      const areComparable = findComparison(listTokens(half.draft), listTokens(other.draft)) !== undefined;
      return areComparable && areCompatible(half.draft, other.draft) && (isOnly || isNameless(half, other));
    });
    if (!fits) return [];
    open.all.clear();
    return left.map((half, i) => ({ first: half, second: rest[i]!, by: "order" }));
  };

  return {
    byId: (draft) => open.take(BY_ID, draft),
    match(halves, total) {
      const pairs: JoinedPair[] = [];
      let left = halves;
      for (const pass of PASSES) {
        if (open.all.size === 0) break;
        left = left.filter((half) => {
          const found = open.take(pass, half.draft);
          if (found !== undefined) pairs.push({ first: half, second: found, by: pass.by });
          return found === undefined;
        });
      }
      pairs.push(...matchByOrder(left, total));
      return pairs.sort((a, b) => a.first.index - b.first.index);
    },
    unmatched: () => [...open.all],
  };
}
