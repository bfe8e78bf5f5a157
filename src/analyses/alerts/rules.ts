import type { Condition } from "../conditions/index.ts";

/** When an alert is raised. */
export interface AlertRule {
  /** Unique; that of the condition where none was given. */
  readonly name: string;
  readonly when: Condition;
  /** Holds when the rule may be raised again; null: as soon as `when` is shown not to hold. */
  readonly clear: Condition | null;
  /** Names of channels; null: all. */
  readonly notify: readonly string[] | null;
}

/** Who is told, beside the terminal. */
export type AlertChannel = { readonly name: string } & (
  | {
      readonly kind: "webhook";
      /** The address, or the variable of the environment that holds it. */
      readonly url: { readonly text: string } | { readonly env: string };
      /** The variable of the environment with the key of the signature; null: not signed. */
      readonly secretEnv: string | null;
    }
  | { readonly kind: "command"; readonly words: readonly string[] }
);

export interface AlertRules {
  readonly rules: readonly AlertRule[];
  readonly channels: readonly AlertChannel[];
}

/** What is delivered: `schemaVersion` and all, as a webhook's body has it. */
export interface Alert {
  readonly schemaVersion: 1;
  readonly kind: "alert";
  /** The same for the same event, however often it is delivered. */
  readonly id: string;
  readonly rule: string;
  readonly condition: string;
  readonly run: string;
  /** The step at which the condition began to hold; null where steps are not known. */
  readonly since: number | null;
  /** Of the figure when it was raised; null for verdicts and changes. */
  readonly value: number | null;
  /** One sentence. */
  readonly text: string;
}
