export interface Threshold {
  readonly name: string;
  /** `truncate above`. */
  readonly label: string;
  readonly kind: "clipped" | "dropped" | "veto";
  /** A ratio; 0 and infinity stand at the ends of the axis. */
  readonly ratio: number;
}

/** Of the histogram that they stand in, pixels. */
export const HEIGHT = 300;
