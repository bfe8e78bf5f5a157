/**
 * Results computed after scoring, by text: gradients of spikes, and continuations.
 *
 * @module
 */

import type { FindingLog } from "../../core/schema/index.ts";
import type { TextContinuation } from "../analysis/summary.ts";
import type { CaseContinuation } from "../results/texts.ts";
import { type Continuation, readContinuations } from "./continuations/continuations-file.ts";
import { readGradients, type SpikeGradients } from "./gradients/gradients-file.ts";
import { computeKey } from "./keyed-text.ts";
import type { Manifest } from "./store/manifest.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

export class StudyFollowUps {
  readonly #dir: string;
  readonly #manifest: Manifest;
  /** By key of the text. */
  readonly #continuations: ReadonlyMap<string, readonly Continuation[]>;

  readonly #findings: FindingLog;

  private constructor(
    dir: string,
    manifest: Manifest,
    continuations: readonly Continuation[],
    findings: FindingLog,
  ) {
    this.#dir = dir;
    this.#manifest = manifest;
    this.#findings = findings;
    this.#continuations = groupLines(continuations, ({ key }) => key);
  }

  /** @param findings where damaged lines are reported */
  static async read(dir: string, manifest: Manifest, findings: FindingLog): Promise<StudyFollowUps> {
    const fingerprint = (policy: string): string | undefined => manifest.policies[policy]?.fingerprint;
    return new StudyFollowUps(dir, manifest, await readContinuations(dir, fingerprint, findings), findings);
  }

  /** Gradients of the scored models, by key of the text. */
  async gradients(checkpoint: string): Promise<ReadonlyMap<string, SpikeGradients>> {
    const fingerprint = this.#manifest.policies[checkpoint]?.fingerprint ?? "";
    return readGradients(this.#dir, checkpoint, fingerprint, this.#findings);
  }

  /** Continuations of a text under a checkpoint and the reference. */
  continuationsUnder(checkpoint: string, text: PreparedText): TextContinuation[] {
    const all = this.#continuations.get(computeKey(text)) ?? [];
    const own = all.filter(({ policy }) => policy === checkpoint);
    return Array.from(groupPlaces(own), ([place, lines]) => {
      const reference = all.filter(
        (line) => line.policy === this.#manifest.reference && line.place === place,
      );
      return {
        place,
        share: lines[0]!.position / text.tokenIds.length,
        ...countOutcomes(lines),
        reference: reference.length === 0 ? undefined : countOutcomes(reference),
      };
    });
  }

  /** Continuations of a text under every policy. */
  caseContinuations(text: PreparedText): CaseContinuation[] {
    const all = this.#continuations.get(computeKey(text)) ?? [];
    return Array.from(groupPlaces(all), ([place, lines]) =>
      Array.from(
        groupLines(lines, ({ policy }) => policy),
        ([policy, own]): CaseContinuation => ({
          policy,
          place,
          position: own[0]!.position,
          ...countOutcomes(own),
          response: own[0]!.response,
        }),
      ),
    ).flat();
  }
}

/** In the order of the text. */
function groupPlaces(lines: readonly Continuation[]): Map<string, Continuation[]> {
  const ordered = lines.toSorted((a, b) => a.position - b.position || a.sample - b.sample);
  return groupLines(ordered, ({ place }) => place);
}

function groupLines(
  lines: readonly Continuation[],
  name: (line: Continuation) => string,
): Map<string, Continuation[]> {
  const groups = new Map<string, Continuation[]>();
  for (const line of lines) {
    const group = groups.get(name(line));
    if (group === undefined) groups.set(name(line), [line]);
    else group.push(line);
  }
  return groups;
}

function countOutcomes(lines: readonly Continuation[]): {
  readonly samples: number;
  readonly right: number;
  readonly unanswered: number;
} {
  return {
    samples: lines.length,
    right: lines.filter(({ correct }) => correct === true).length,
    unanswered: lines.filter(({ correct }) => correct === null).length,
  };
}
