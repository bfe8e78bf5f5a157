import { formatCount } from "../../../../src/render/text/display/index.ts";
import type { TokenMatches } from "../../../../src/results/wire/matches.ts";
import { MATCHING } from "../../state/sequence-order.ts";
import { makeHref } from "../../state/url.ts";
import type { SequencesColumn } from "./columns.ts";

/** The column with the number of a sequence's tokens that match a filter. */
export function matchColumn({ sequences, counts, first, worst }: TokenMatches): SequencesColumn {
  const places = new Map(Array.from(sequences, (row, at) => [row, at]));
  const getCount = (row: number): number | undefined => counts[places.get(row) ?? -1];
  const link = (row: number, token: number, text: string, which: string) => (
    <a href={makeHref({ view: "sequence", sequence: row, token })} title={`${which}: token ${token}`}>
      {text}
    </a>
  );
  return {
    key: MATCHING,
    title: "matching",
    help: "tokens that match the filter; the link goes to the one with the largest |Δ|, the arrow to the first",
    width: 104,
    align: "end",
    usual: true,
    value: (_, row) => getCount(row),
    text: (_, row) => formatCount(getCount(row)),
    cell: (row) => {
      const at = places.get(row);
      if (at === undefined) return undefined;
      return (
        <>
          {first[at] !== worst[at] && <>{link(row, first[at]!, "⇤", "the first")} </>}
          {link(row, worst[at]!, formatCount(counts[at]), "the largest |Δ|")}
        </>
      );
    },
  };
}
