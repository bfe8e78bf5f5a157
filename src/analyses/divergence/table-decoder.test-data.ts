import type { TokenDecoder } from "./decoder.ts";

/** Ids are places in a list; a text is encoded by the longest entries, the first of equal ones. Counts its calls. */
export function tableDecoder(
  entries: readonly string[],
): TokenDecoder & { readonly calls: number; readonly ids: number } {
  const counts = { calls: 0, ids: 0 };
  return {
    name: "table",
    vocabularySize: entries.length,
    get calls() {
      return counts.calls;
    },
    get ids() {
      return counts.ids;
    },
    decode(ids) {
      counts.calls++;
      counts.ids += ids.length;
      return ids.map((id) => entries[id] ?? "").join("");
    },
    encode(text) {
      const ids: number[] = [];
      for (let rest = text; rest !== ""; ) {
        let best = -1;
        entries.forEach((entry, id) => {
          if (rest.startsWith(entry) && entry.length > (entries[best]?.length ?? 0)) best = id;
        });
        if (best < 0) return undefined;
        ids.push(best);
        rest = rest.slice(entries[best]!.length);
      }
      return ids;
    },
  };
}
