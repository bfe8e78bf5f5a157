export interface Threshold {
  readonly name: string;
  /** `truncate above`. */
  readonly label: string;
  readonly kind: "clipped" | "dropped" | "veto";
  /** A ratio; 0 and infinity are drawn at the ends of the axis. */
  readonly ratio: number;
}

/** Height of the histogram that thresholds are in, pixels. */
export const HEIGHT = 300;
