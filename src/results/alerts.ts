/** What a rule of alerts raised, as webhooks get it and as the viewer lists it. */

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

/** An event of a run, as it is remembered. */
export interface RaisedAlert extends Alert {
  /** When it was raised, as ISO 8601. */
  readonly raised_at: string;
  /** Whether its condition holds no longer. A change that a test has found is never over. */
  readonly over: boolean;
}

/** What is kept of a run's alerts for the viewer, beside its cache. */
export interface AlertList {
  readonly schemaVersion: 1;
  readonly kind: "view-alerts";
  /** The last raised last; the latest 200. */
  readonly alerts: readonly RaisedAlert[];
}
