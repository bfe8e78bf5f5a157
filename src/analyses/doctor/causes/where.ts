import { anyTrainer, type Cause } from "./cause.ts";

/** Scopes: the fault itself is judged on the part alone and listed too. */
export const WHERE: readonly Cause[] = [
  {
    id: "one_bad_rank",
    family: "where",
    title: "One rank differs",
    description: "A fault on one data-parallel rank only: its engine, its shard or its device.",
    fix: [
      anyTrainer(
        "restart that replica and compare weight checksums across ranks",
        "Then the fault that is listed beside this one.",
      ),
    ],
  },
  {
    id: "one_bad_source",
    family: "where",
    title: "One environment differs",
    description:
      "A fault in one environment or data source only: its template, its sampling parameters, its tokens.",
    fix: [
      anyTrainer(
        "compare that environment's request with another's",
        "Prompt ids, sampling parameters, stop strings.",
      ),
    ],
  },
  {
    id: "one_bad_step",
    family: "when",
    title: "One step differs",
    description: "A fault in a single step; the steps before and after are sound.",
    fix: [
      anyTrainer("look at the log of that step", "A retry, an update that failed, an engine that restarted."),
    ],
  },
  {
    id: "sudden_onset",
    family: "when",
    title: "Differs from one step on",
    description: "A fault that begins at one step and stays, as after a restart or a change of config.",
    fix: [
      anyTrainer(
        "compare config and versions before and after that step",
        "Resumes, new images, new sampling parameters.",
      ),
    ],
  },
  {
    id: "growing_staleness",
    family: "when",
    title: "Mismatch grows from step to step",
    description: "The engine falls behind more with every step: weights are no longer synced.",
    fix: [
      anyTrainer(
        "check that the weight sync runs and that the engine applies it",
        "After a sync the engine's checksum has to change with every step.",
      ),
    ],
  },
];
