/**
 * Saved replies of inference servers, and other files with tokens and one list of log-probs: one policy each.
 *
 * A file per server; `read-reply.ts` tries them in turn, `chunks.ts` assembles streams, `to-draft.ts` makes drafts.
 * How replies are requested belongs in `src/study/scoring/servers`.
 *
 * @module
 */
import type { Adapter } from "../adapter.ts";

export const servers: Adapter = {
  name: "servers",
  async detect(document) {
    // Replies are JSON or rows: what reads those of all servers is loaded for these alone.
    if (document.kind === "tree" && document.format !== "json") return undefined;
    const { savedReplies } = await import("./saved-replies.ts");
    return savedReplies.detect(document);
  },
  async read(document, context) {
    const { savedReplies } = await import("./saved-replies.ts");
    return savedReplies.read(document, context);
  },
};
