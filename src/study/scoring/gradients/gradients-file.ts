/**
 * `gradients/NAME.jsonl`: gradient times input of the KL at some spikes of each text.
 *
 * @module
 */
import type { FindingLog } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import { appendLines, type LinesForm, readLines, resumeLines } from "../store/lines-file.ts";
import { paths } from "../store/manifest.ts";

/** A line: one text, or further spikes of it that different spike settings found later. */
export interface GradientLine {
  /** Fingerprint of the models; see `ManifestPolicy`. */
  readonly fingerprint: string;
  /** Digest of the text's token ids, and its name for readers. */
  readonly key: string;
  readonly text: string;
  /** Response tokens. */
  readonly positions: readonly number[];
  /** For each position, one value for each token before it, starting with the prompt's first; nats. */
  readonly gradient_times_input: readonly (readonly number[])[];
}

/** Gradients by response token. */
export type SpikeGradients = Map<number, readonly number[]>;

const FORM: LinesForm<GradientLine> = {
  said: ({ fingerprint, key, positions, gradient_times_input: values }) => [
    fingerprint,
    key,
    positions,
    values,
  ],
  describeDamage: (count) => `the gradients of ${plural(count, "text")} are damaged`,
  again: "computed again",
  likely: "the run that computed them was killed, or the disk was full",
};

/** Significant digits; a half-precision gradient has no more, and the file would be twice as long. */
const DIGITS = 5;

export function appendGradients(
  dir: string,
  policy: string,
  line: Omit<GradientLine, "gradient_times_input">,
  values: readonly ArrayLike<number>[],
): void {
  const rounded = values.map((one) => Array.from(one, (value) => Number(value.toPrecision(DIGITS))));
  appendLines(paths.gradients(dir, policy), FORM, [{ ...line, gradient_times_input: rounded }]);
}

/**
 * A policy's stored gradients, by the key of the text. Damaged ones are reported and left out.
 *
 * @param fingerprint that of the current models; gradients of others are ignored
 */
export async function readGradients(
  dir: string,
  policy: string,
  fingerprint: string,
  findings: FindingLog,
): Promise<Map<string, SpikeGradients>> {
  return collect(await readLines(paths.gradients(dir, policy), FORM, findings), fingerprint);
}

/** Like {@link readGradients}, for a run that adds to them: damaged ones are removed from the file. */
export async function resumeGradients(
  dir: string,
  policy: string,
  fingerprint: string,
  findings: FindingLog,
): Promise<Map<string, SpikeGradients>> {
  return collect(await resumeLines(paths.gradients(dir, policy), FORM, findings), fingerprint);
}

function collect(lines: readonly GradientLine[], fingerprint: string): Map<string, SpikeGradients> {
  const found = new Map<string, SpikeGradients>();
  for (const line of lines) {
    if (line.fingerprint !== fingerprint) continue;
    const spikes = found.get(line.key) ?? new Map<number, readonly number[]>();
    found.set(line.key, spikes);
    line.positions.forEach((position, i) => {
      spikes.set(position, line.gradient_times_input[i] ?? []);
    });
  }
  return found;
}
