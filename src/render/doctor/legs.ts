import { formatNumber } from "../../core/text/index.ts";
import type { GuiltyLeg } from "../../results/diagnosis.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import type { Section } from "../document/document.ts";
import { withRows } from "../document/rows.ts";
import { figureColumn, makeTable, metricColumn, type Table, textColumn } from "../document/table.ts";

const LEGS = {
  decode: "decode: rollout to its own prefill",
  trainer: "trainer: prefill to trainer",
} as const;

/** A sentence that says which leg differs, with the figures of both; undefined without a third column. */
export function legSentence({ guilty_leg: guilty, legs }: DoctorReport): string | undefined {
  const [decode, trainer] = [
    legs.find(({ name }) => name === "decode"),
    legs.find(({ name }) => name === "trainer"),
  ];
  if (decode === undefined || trainer === undefined) return undefined;
  const figures = `mean |Δ| is ${formatNumber(decode.delta_abs_mean)} nats in the decode leg, ${formatNumber(trainer.delta_abs_mean)} in the trainer leg`;
  return `${guilty === null ? "Too few sequences have all three columns to say which leg differs" : GUILTY[guilty]}: ${figures}.`;
}

const GUILTY: Readonly<Record<GuiltyLeg, string>> = {
  decode: "The engine's decoding differs from its own prefill, and that prefill agrees with the trainer",
  trainer: "The engine's decoding agrees with its own prefill; the trainer differs from both",
  both: "The engine's decoding differs from its own prefill, and the trainer differs from that prefill",
  none: "Neither leg differs by more than this precision explains",
};

export function legSections(report: DoctorReport): Section[] {
  const sentence = legSentence(report);
  if (sentence === undefined) return [];
  return [
    {
      id: "legs",
      title: "Three columns",
      blocks: [
        { kind: "text", text: sentence },
        { kind: "table", table: legTable(report) },
      ],
    },
  ];
}

function legTable({ legs }: DoctorReport): Table {
  type Figure = "tokens" | "delta_mean" | "delta_abs_mean" | "delta_abs_max" | "k3" | "equal_share";
  const pick = (name: Figure): number[] => legs.map((leg) => leg[name]);
  const table = makeTable("leg-figures", "Each leg", [
    textColumn(
      "leg",
      legs.map(({ name }) => LEGS[name]),
    ),
    metricColumn("delta_abs_mean", pick, { priority: 1 }),
    metricColumn("delta_abs_max", pick, { priority: 2 }),
    metricColumn("delta_mean", pick, { priority: 3 }),
    metricColumn("k3", pick, { priority: 3 }),
    figureColumn("equal", "share", pick("equal_share"), { priority: 3 }),
    metricColumn("tokens", pick, { priority: 4 }),
  ]);
  return { ...withRows(table, legs), isWhole: true };
}
