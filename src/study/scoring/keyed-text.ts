import { createHash } from "node:crypto";
import { attentionPlan } from "./attention-plan.ts";
import type { KeyedText } from "./score-policy.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

/** Digest of everything that a text's scores depend on. */
export function computeKey({ id, promptIds, tokenIds }: PreparedText): string {
  const hash = createHash("sha256").update(id);
  for (const ids of [promptIds, tokenIds])
    hash.update("\0").update(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
  return hash.digest("hex").slice(0, 24);
}

/** The token ids of a text to force, with its key. */
export function keyed(text: PreparedText, attention: boolean): KeyedText {
  const { promptIds, tokenIds } = text;
  const ids = new Int32Array(promptIds.length + tokenIds.length);
  ids.set(promptIds);
  ids.set(tokenIds, promptIds.length);
  return {
    key: computeKey(text),
    forced: { id: text.id, ids, promptLength: promptIds.length },
    plan: attention ? attentionPlan(text) : undefined,
  };
}
