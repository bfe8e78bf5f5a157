/**
 * How to make a trainer write both policies' log-probs: the Python package's hooks, which are installed next to the
 * program, and the lines that enable them. Adapters read what the hooks write.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The program's own folder, from the sources and from `dist/` alike. */
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
/** The Python package in a checkout or the npm package, and in a wheel, where the program is inside it. */
const PACKAGES = [join(ROOT, "python/logratio"), join(ROOT, "..")];

interface Hook {
  readonly place: string;
  readonly language: "shell" | "python" | "none";
  readonly lines: readonly string[];
  readonly needs?: string;
  readonly plugin?: string;
}

/** The hook of each trainer, from its folder (`src/trainers/hooks.test.ts`). */
interface Catalog {
  readonly trainers: readonly (Hook & { readonly name: string })[];
}

/** For a trainer without a hook of its own. */
const ANY: Hook = {
  place: "Python, wherever the log-probs of both policies are at hand: [B, T], or one list per sequence",
  language: "python",
  lines: [
    "import logratio",
    'run = logratio.init("logratio")',
    "run.log(step=step, rollout_log_probs=rollout, old_log_probs=trainer, response_mask=mask, responses=ids)",
    "run.finish()  # behind the last step",
  ],
};

/** What Python needs to find the package when it is not installed. */
const FINDING: Readonly<Record<Hook["language"], (folder: string) => readonly string[]>> = {
  shell: (folder) => [`export PYTHONPATH="${folder}:$PYTHONPATH"  # or: pip install logratio`],
  python: (folder) => [`import sys; sys.path.insert(0, "${folder}")  # or: pip install logratio`],
  none: () => [],
};

/**
 * The lines that make `trainer` (as its users spell it) write both log-probs: where they go, and what they need.
 *
 * @throws Error when the package lacks its hooks
 */
export function hookLines(trainer: string): readonly string[] {
  const folder = PACKAGES.find((path) => existsSync(join(path, "hooks/catalog.json")));
  if (folder === undefined) throw new Error(`the hooks are missing: ${PACKAGES[0]}/hooks/catalog.json`);
  const catalog = JSON.parse(readFileSync(join(folder, "hooks/catalog.json"), "utf8")) as Catalog;
  const hook = catalog.trainers.find(({ name }) => name === trainer) ?? ANY;
  const lines = hook.lines.map((line) =>
    line.replace("{plugin}", join(folder, "hooks/plugins", hook.plugin ?? "")),
  );
  return [
    `${hook.place}:`,
    ...[...FINDING[hook.language](dirname(folder)), ...lines].map((line) => `    ${line}`),
    ...(hook.needs === undefined ? [] : [`it needs ${hook.needs}`]),
  ];
}
