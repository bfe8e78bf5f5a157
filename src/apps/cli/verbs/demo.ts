import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReportOptions } from "../commands/print-report.ts";
import { addReportOptions } from "./report.ts";
import type { Verb } from "./verb.ts";

export const demo: Verb<[], ReportOptions> = {
  name: "demo",
  summary: "a recorded run",
  description: "a report on the recorded example run (a tiny model, stale rollout weights)",
  arguments: [],
  examples: [
    {
      line: "logratio demo",
      shows: "a report on a recorded run that comes with logratio",
    },
    { line: "logratio demo --html demo.html", shows: "the same as a page with pictures" },
  ],
  addOptions: addReportOptions,
  async run(_, options, terminal) {
    const { report } = await import("../commands/report.ts");
    const { withFound } = await import("../commands/default-tokenizer.ts");
    // Where the example run lies, as one would type it here.
    const path = fileURLToPath(new URL("../../../../examples/demo", import.meta.url));
    const fromHere = relative("", path);
    const paths = [fromHere.startsWith("..") ? path : fromHere];
    return report(paths, { ...(await withFound(paths, options)), asDemo: true }, terminal);
  },
};
