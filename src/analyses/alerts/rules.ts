import type { Condition } from "../conditions/condition.ts";

/** When an alert is raised. */
export interface AlertRule {
  /** Unique; the text of the condition if no name was given. */
  readonly name: string;
  readonly when: Condition;
  /** Holds when the rule may be raised again; null: as soon as `when` is shown not to hold. */
  readonly clear: Condition | null;
  /** Names of channels; null: all. */
  readonly notify: readonly string[] | null;
}

/** Who gets notified, in addition to the terminal. */
export type AlertChannel = { readonly name: string } & (
  | {
      readonly kind: "webhook";
      /** The address, or the environment variable that contains it. */
      readonly url: { readonly text: string } | { readonly env: string };
      /** The environment variable with the signing key; null: not signed. */
      readonly secretEnv: string | null;
    }
  | { readonly kind: "command"; readonly words: readonly string[] }
);

export interface AlertRules {
  readonly rules: readonly AlertRule[];
  readonly channels: readonly AlertChannel[];
}
