import { printable } from "../../../../src/render/text/index.ts";
import { navigate } from "../../state/url.ts";
import { checkpointParam } from "./choices.ts";

/** Chooses the checkpoint of the figures and colors. */
export function CheckpointSelect({
  checkpoints,
  at,
}: {
  readonly checkpoints: readonly string[];
  readonly at: number;
}) {
  return (
    <label class="checkpoint-select">
      Checkpoint{" "}
      <select
        value={String(at)}
        onChange={({ currentTarget: { value } }) => chooseCheckpoint(checkpoints, Number(value))}
      >
        {checkpoints.map((name, place) => (
          <option key={name} value={String(place)}>
            {printable(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function chooseCheckpoint(checkpoints: readonly string[], at: number): void {
  if (at < 0 || at >= checkpoints.length) return;
  navigate({ params: { checkpoint: checkpointParam(checkpoints, at) } });
}
