import { formatCount } from "../../core/text/index.ts";
import type { BesideFinding } from "../../results/beside.ts";
import type { Entry, Section } from "../document/document.ts";

/** Number of findings in the line; the others are counted. */
const MOST_SAID = 2;

/**
 * One line for a first screen: the worst findings, and how many more there are. Undefined if there are none.
 *
 * @param told the text above it; findings that it mentions are not repeated
 */
export function sayBeside(findings: readonly BesideFinding[], told = ""): string | undefined {
  const left = findings.filter(({ short }) => !told.includes(short));
  const bad = left.filter(({ level }) => level === "bad");
  const said = (bad.length === 0 ? left : bad).slice(0, MOST_SAID);
  const more = left.length - said.length;
  if (said.length === 0) return undefined;
  const parts = said.map((one) => `${one.short}${one.run === "" ? "" : ` (${one.run})`}`);
  return [...parts, ...(more === 0 ? [] : [`${formatCount(more)} more`])].join("; ");
}

/** Every finding with its basis, what to do, and the source of its limit; empty without findings. */
export function besideSection(findings: readonly BesideFinding[]): Section {
  const entries = findings.map(
    (one): Entry => ({
      level: one.level === "bad" ? "high" : "elevated",
      word: one.level === "bad" ? "bad" : "warning",
      text: one.run === "" ? one.title : `${one.title} (${one.run})`,
      isHeading: true,
      body: one.sentence,
      details: [
        ["do this", one.do_this],
        [
          "read from",
          one.read_from.map((name) => (name === "dump" ? "the answers of the dump" : name)).join(", "),
        ],
        ["source", one.source],
      ],
    }),
  );
  return { id: "beside", title: "Beside the mismatch", blocks: [{ kind: "entries", entries }] };
}
