import type { TextMode } from "../model/display.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import { textClasses } from "./token-span.ts";

/**
 * How tokens look now. Chunks read it when they are filled, so those that come into sight later need no notification.
 */
export interface Looks {
  mode: TextMode;
  /** Whether there is room above the lines for place values. */
  numbers: boolean;
  chooseClasses: (place: number) => string;
}

/** Called for each token on the screen while scrolling, so it allocates a single string. */
export function classNames(model: SequenceModel, looks: Looks, place: number): string {
  return `${textClasses(model, place, looks.mode)} ${looks.chooseClasses(place)}`;
}
