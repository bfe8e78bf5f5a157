import { useMemo } from "preact/hooks";
import type { Row } from "../../../ui/export.ts";
import { ExportMenu } from "../../../ui/export-menu.tsx";
import { canvasSvg } from "../../../ui/svg-canvas.ts";
import { onPaper } from "../../../ui/theme.ts";
import type { Choices } from "../choices.ts";
import type { Linked } from "../linked.ts";
import type { TokenRange } from "../model/axis.ts";
import type { Hits } from "../model/find.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import { computeHeight, type Drawn, drawSequence, type Track } from "./draw.ts";
import { readInks } from "./inks.ts";
import { useDrawing } from "./use-drawing.ts";
import { usePointing } from "./use-pointing.ts";

export interface MinimapProps {
  readonly model: SequenceModel;
  readonly choices: Choices;
  readonly values: Float64Array;
  readonly hits: Hits | undefined;
  readonly linked: Linked;
  /** Place from the first prompt token. */
  readonly onJump: (place: number) => void;
  readonly onRange: (range: TokenRange | undefined) => void;
}

/** The whole sequence in one line: hover to find, click to go, drag to choose a range. */
export function Minimap({ model, choices, values, hits, linked, onJump, onRange }: MinimapProps) {
  const { metric, scale, place } = choices;
  const second = useSecond(model, choices);
  const height = computeHeight(second !== undefined);
  const drawn = { model, metric, scale, values, second };
  const { root, base, over, width, axis } = useDrawing({ drawn, choices, hits, linked, height });
  const here = place ?? Math.floor(linked.sight.peek().from);
  const handlers = usePointing({ model, axis, linked, here, onJump, onRange });
  const svg = (): string =>
    onPaper(() => {
      const paper = readInks(root.current!);
      const title = `${metric.title} over the sequence`;
      return canvasSvg(title, width, height, (pen) => drawSequence(pen, axis, drawn, paper));
    });
  return (
    <div class="minimap-frame">
      <ExportMenu name={`sequence-${metric.name}`} svg={svg} rows={() => listRows(drawn)} />
      <div
        ref={root}
        class="minimap"
        role="slider"
        tabIndex={0}
        aria-label={`${metric.meaning}, over the whole sequence: smallest, largest and mean value per pixel. Arrow keys move along it; with Shift they select a range`}
        aria-valuemin={0}
        aria-valuemax={model.length - 1}
        aria-valuenow={here}
        aria-valuetext={describePlace(here, model.prompt)}
        style={{ height: `${height}px` }}
        {...handlers}
      >
        <canvas ref={base} />
        <canvas ref={over} />
      </div>
    </div>
  );
}

/** The metric below the current one: entropy, or Δ if the current one is entropy. */
function useSecond(model: SequenceModel, { metric, metrics }: Choices): Track | undefined {
  const other = metrics.find(({ name }) => name === (metric.name === "entropy" ? "delta" : "entropy"));
  return useMemo(
    () => other && { metric: other, scale: other.ofRun ?? other.anchored, values: other.values(model.wire) },
    [model, other?.name],
  );
}

/** A row per response token. */
function listRows({ metric, values, second }: Drawn): Row[] {
  return Array.from(values, (value, token) => ({
    token,
    [metric.name]: metric.figure?.(value) ?? value,
    ...(second !== undefined && { [second.metric.name]: second.values[token] }),
  }));
}

function describePlace(place: number, prompt: number): string {
  return place < prompt ? `prompt token ${place}` : `token ${place - prompt}`;
}
