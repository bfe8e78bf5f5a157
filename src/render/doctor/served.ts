import { formatChance } from "../../core/text/index.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import type { CheckpointFit, ServedCheckpoint, ServedReport, ServedSide } from "../../results/served.ts";
import type { Section } from "../document/document.ts";
import { withRows } from "../document/rows.ts";
import { figureColumn, makeTable, type Table, type TableColumn, textColumn } from "../document/table.ts";

/** Which checkpoint each side used: how far it is from each, and what each step used. */
export function servedSections({ checkpoints: served }: DoctorReport): Section[] {
  if (served === null) return [];
  return [
    {
      id: "checkpoints",
      title: "Checkpoints",
      blocks: [
        { kind: "text", text: served.sentence },
        ...(served.by_step.length === 0 ? [] : [{ kind: "table", table: stepTable(served) } as const]),
        { kind: "table", table: checkpointTable(served) },
      ],
    },
  ];
}

function checkpointTable({ checkpoints, rollout, trainer, by_step }: ServedReport): Table {
  const each = <T>(of: (checkpoint: ServedCheckpoint) => T): T[] => checkpoints.map(of);
  const table = makeTable(
    "checkpoints",
    by_step.length === 0 ? "Each checkpoint" : "Each checkpoint, if it had been used at all steps",
    [
      textColumn(
        "checkpoint",
        each(({ name }) => name),
      ),
      chanceColumn(
        "engine",
        each((of) => of.rollout),
      ),
      figureColumn(
        "logit noise",
        "number",
        each((of) => of.rollout.logit_noise_mean),
        { priority: 2 },
      ),
      figureColumn(
        "median |Δ|",
        "number",
        each((of) => of.rollout.delta_abs_median),
        { priority: 4 },
      ),
      chanceColumn(
        "trainer",
        each((of) => of.trainer),
      ),
      figureColumn(
        "its logit noise",
        "number",
        each((of) => of.trainer.logit_noise_mean),
        { priority: 3 },
      ),
    ],
    `None of these: ${formatChance(rollout.none)} in the engine, ${formatChance(trainer.none)} in the trainer.`,
  );
  return { ...withRows(table, checkpoints), isWhole: true };
}

function chanceColumn(header: string, fits: readonly CheckpointFit[]): TableColumn {
  return textColumn(
    header,
    fits.map(({ probability }) => formatChance(probability)),
    { align: "right" },
  );
}

function stepTable({ by_step: steps }: ServedReport): Table {
  const said = (side: "rollout" | "trainer"): string[] => steps.map((step) => saySide(step[side]));
  const table = makeTable("checkpoint-steps", "Each step", [
    textColumn(
      "step",
      steps.map(({ step }) => String(step)),
      { align: "right" },
    ),
    textColumn("engine", said("rollout")),
    textColumn("trainer", said("trainer")),
    figureColumn(
      "sequences",
      "count",
      steps.map(({ sequences }) => sequences),
      { priority: 2 },
    ),
  ]);
  return { ...withRows(table, steps), isWhole: true };
}

function saySide({ checkpoint, nearest, none }: ServedSide): string {
  return checkpoint ?? `none of these (${formatChance(none)}), nearest ${nearest}`;
}
