import { advise, type CauseText } from "./cause.ts";

/** Scopes: the fault itself is judged on the part alone and listed too. */
export const WHERE: readonly CauseText[] = [
  {
    id: "one_bad_rank",
    family: "where",
    title: "One rank differs",
    description: "Only one data-parallel rank is wrong: its engine, its shard or its device.",
    fix: [
      advise(
        "restart that replica and compare weight checksums across ranks",
        "Then fix the cause that is listed with this one.",
      ),
    ],
  },
  {
    id: "one_bad_source",
    family: "where",
    title: "One environment differs",
    description:
      "Only one environment or data source is wrong: its template, its sampling parameters or its tokens.",
    fix: [
      advise(
        "compare that environment's request with another's",
        "Check prompt ids, sampling parameters and stop strings.",
      ),
    ],
  },
  {
    id: "one_bad_step",
    family: "when",
    title: "One step differs",
    description: "Only one step is wrong; the steps before and after it are fine.",
    fix: [advise("look at the log of that step", "Look for a retry, a failed update or an engine restart.")],
  },
  {
    id: "sudden_onset",
    family: "when",
    title: "Differs from one step on",
    description: "A fault begins at one step and stays, as after a restart or a config change.",
    fix: [
      advise(
        "compare config and versions before and after that step",
        "Look for a resume, a new image or new sampling parameters.",
      ),
    ],
  },
  {
    id: "growing_staleness",
    family: "when",
    title: "Mismatch grows from step to step",
    description: "The engine falls further behind with every step: weights are no longer synced.",
    fix: [
      advise(
        "check that the weight sync runs and that the engine applies it",
        "The engine's checksum must change after every sync.",
      ),
    ],
  },
];
