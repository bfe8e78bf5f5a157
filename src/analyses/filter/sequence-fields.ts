/**
 * The fields of sequences that filters can use.
 *
 * @module
 */
import { SEQUENCE_ENTRIES, type SequenceEntry } from "../../results/metrics/sequence-columns.ts";
import type { NumberField, SequenceField } from "./field.ts";
import { TOKEN_FIELDS } from "./token-fields.ts";

/** Names that token fields use; the sequence's `advantage` and `impact` therefore have longer names. */
const OF_TOKENS = new Set(TOKEN_FIELDS.map(({ name }) => name));

export const SEQUENCE_FIELDS: readonly SequenceField[] = SEQUENCE_ENTRIES.flatMap((entry) =>
  entry.filter === undefined ? [] : [toField(entry, entry.filter)],
);

/** The column's name in `--json` and SQL is an alias. */
function toField(entry: SequenceEntry, filter: NonNullable<SequenceEntry["filter"]>): SequenceField {
  const { name = entry.key, aliases = [], example } = filter;
  const others = [entry.key, entry.sql ?? entry.key].filter(
    (other) => other !== name && !aliases.includes(other) && !OF_TOKENS.has(other),
  );
  const common = {
    scope: "sequence",
    name,
    aliases: [...new Set([...aliases, ...others])],
    meaning: entry.meaning,
    example,
  } as const;
  if (entry.kind === "text") return { ...common, kind: "text", column: entry.key };
  const values: NumberField["values"] = ({ columns }) => columns[entry.key];
  return entry.kind === "yes-no"
    ? { ...common, kind: "yes-no", meaning: `${entry.meaning}: yes, no or none`, values }
    : { ...common, kind: "number", values };
}
