import type { TextMode } from "../model/display.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import { textClasses } from "./token-span.ts";

/**
 * How tokens look now. Chunks read it whenever they fill: one that comes into sight later is right without being told
 * what changed meanwhile.
 */
export interface Looks {
  mode: TextMode;
  /** With room above the lines for places. */
  numbers: boolean;
  chooseClasses: (place: number) => string;
}

/** Called for each token of a screen while one scrolls: it makes one string and nothing else. */
export function classNames(model: SequenceModel, looks: Looks, place: number): string {
  return `${textClasses(model, place, looks.mode)} ${looks.chooseClasses(place)}`;
}
