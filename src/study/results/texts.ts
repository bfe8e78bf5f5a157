/**
 * Single tokens and texts: spikes, and cases over all checkpoints.
 *
 * @module
 */
import type { Region } from "./names.ts";

/** How one policy continued one text from one place. */
export interface CaseContinuation {
  readonly policy: string;
  readonly place: string;
  /** Response tokens that were forced. */
  readonly position: number;
  readonly samples: number;
  readonly right: number;
  readonly unanswered: number;
  /** What the first sample wrote. */
  readonly response: string;
}

export interface TokenFigures {
  /** The token's text. */
  readonly token: string;
  readonly category: string;
  readonly count: number;
  readonly spikes: number;
  readonly mean_kl: number;
  readonly share_of_kl: number;
  /** Mean of log p_checkpoint − log p_reference. */
  readonly mean_delta: number | null;
  readonly problems: number;
}

/** An earlier token that the KL at a spike depends on. */
export interface SpikeDependence {
  /** Response token; below 0 in the prompt, where −1 is its last token. */
  readonly position: number;
  readonly token: string;
  /** Nats: above 0, the KL would fall if the token weighed less. */
  readonly gradient_times_input: number;
  /** Share of Σ |gradient × input| over all tokens before the spike. */
  readonly share: number;
}

export interface KlAlternative {
  readonly token: string;
  readonly token_id: number;
  readonly probability: number;
}

/** One spike. */
export interface SpikeFigures {
  /** `q12.t40`: text number in the study, response token. */
  readonly handle: string;
  readonly text: string;
  readonly problem: string;
  readonly position: number;
  readonly region: Region;
  readonly token: string;
  readonly category: string;
  readonly kl: number;
  readonly zscore: number;
  readonly probability: number | null;
  readonly reference_probability: number | null;
  readonly before: string;
  readonly after: string;
  /** The most probable tokens of the checkpoint and of the reference. */
  readonly alternatives: readonly KlAlternative[];
  readonly reference_alternatives: readonly KlAlternative[];
  /** The earlier tokens that its KL depends on most, largest first; null if its gradients are unknown. */
  readonly depends_on: readonly SpikeDependence[] | null;
  /** The first checkpoint from which on this token keeps at least half of this KL. */
  readonly since: string | null;
}

/** A spike in the list of all of them: where it is, and how large. */
export interface ListedSpike {
  /** `q12.t40`: text number in the study, response token. */
  readonly handle: string;
  readonly text: string;
  readonly problem: string;
  /** Response token, counted from 0 over the whole response, including tokens with mask 0. */
  readonly position: number;
  readonly token: string;
  readonly token_id: number;
  readonly category: string;
  /** The third of the text's tokens with mask 1 in which it lies. */
  readonly region: Region;
  /** D(checkpoint‖reference), nats; its lower bound if only bounds are known. */
  readonly kl: number;
  /** z-score over the text's whole series, whatever the method. */
  readonly zscore: number | null;
}

/** One text over all checkpoints, for the token strip and the heat-map. */
export interface CaseStudy {
  readonly handle: string;
  readonly text: string;
  readonly problem: string;
  /** Why this text was chosen. */
  readonly reason: string;
  readonly source: string | null;
  readonly correct: boolean | null;
  readonly subject: string | null;
  readonly level: number | null;
  readonly prompt_text: string | null;
  readonly tokens: readonly string[];
  readonly mask: readonly number[];
  readonly categories: readonly string[];
  /** Names of the rows of `kl`. */
  readonly checkpoints: readonly string[];
  /** `[checkpoints][tokens]`; null if unknown. */
  readonly kl: readonly (readonly (number | null)[])[];
  /** `[checkpoints][tokens]`: log p_checkpoint − log p_reference of the forced token. */
  readonly delta: readonly (readonly (number | null)[])[];
  /** Spikes of the last checkpoint. */
  readonly spikes: readonly SpikeFigures[];
  readonly error_token: number | null;
  /** Its continuations, by place and policy. */
  readonly continuations: readonly CaseContinuation[];
}
