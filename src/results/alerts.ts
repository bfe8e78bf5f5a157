/** An alert that a rule raised, as webhooks receive it and the viewer lists it. */

/** The delivered alert: the whole body of a webhook, with `schemaVersion`. */
export interface Alert {
  readonly schemaVersion: 1;
  readonly kind: "alert";
  /** The same for the same event, however often it is delivered. */
  readonly id: string;
  readonly rule: string;
  readonly condition: string;
  readonly run: string;
  /** The step at which the condition began to hold; null if steps are not known. */
  readonly since: number | null;
  /** Value of the figure when the alert was raised; null for verdicts and changes. */
  readonly value: number | null;
  /** One sentence. */
  readonly text: string;
}

/** An event of a run, as stored. */
export interface RaisedAlert extends Alert {
  /** When it was raised, as ISO 8601. */
  readonly raised_at: string;
  /** Whether its condition no longer holds. A change found by a test is never over. */
  readonly over: boolean;
}

/** A run's alerts as stored for the viewer, next to its cache. */
export interface AlertList {
  readonly schemaVersion: 1;
  readonly kind: "view-alerts";
  /** The last raised last; the latest 200. */
  readonly alerts: readonly RaisedAlert[];
}
