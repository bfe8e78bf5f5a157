/**
 * How to make a trainer write both policies' log-probs: the files under `exporters/`, and the lines that put them to
 * use, which are the head of each file's docstring. What they write is read by the adapters.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** From the sources and from `dist/` alike. */
const FOLDER = fileURLToPath(new URL("../../../../exporters", import.meta.url));

const FILES: ReadonlyMap<string, string> = new Map([
  ["verl", "logratio_verl.py"],
  ["TRL", "logratio_trl.py"],
  ["xtuner", "logratio_xtuner.py"],
  ["OpenRLHF", "logratio_openrlhf.py"],
]);

/** Trainers that the Python package hooks into, under its names (`python/logratio/hooks/catalog.py`). */
const HOOKED: ReadonlyMap<string, string> = new Map([
  ["AReaL", "areal"],
  ["ms-swift", "ms-swift"],
  ["open-instruct", "open-instruct"],
]);

/** Where logratio knows no place in the trainer's code: what to call wherever both lists are at hand. */
const ANY = "logratio_record.py";

/** What stands between the quotes, up to the heading of what only readers of the file need. */
const HEAD = /^r?"""([\s\S]*?)\n\nDetails\n/;

/**
 * The lines that make `trainer` (as its users spell it) write both log-probs: what to start it with or to paste, with
 * the path of the file that does it.
 *
 * @throws Error when the package lacks its `exporters`
 */
export function exporterSnippet(trainer: string): string {
  const file = FILES.get(trainer) ?? ANY;
  const head = HEAD.exec(readFileSync(`${FOLDER}/${file}`, "utf8"))?.[1];
  if (head === undefined) throw new Error(`${file} does not begin with its usage`);
  const lines = head.replaceAll("EXPORTERS", FOLDER).replaceAll("\n\n", "\n");
  const hook = HOOKED.get(trainer);
  if (hook === undefined) return lines;
  return `with logratio's Python package: python -m logratio.hooks --trainer ${hook} prints the lines\nor without it: ${lines}`;
}
