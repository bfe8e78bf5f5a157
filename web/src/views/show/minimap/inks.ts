import { LAST } from "../../../ui/color-scale.ts";

export interface Inks {
  /** `q-15` … `q15`. */
  readonly shades: readonly string[];
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly panel: string;
  readonly focus: string;
  readonly orange: string;
  readonly hit: string;
}

/** The style sheet's colors for this element, in a form that a canvas accepts. */
export function readInks(scaled: Element): Inks {
  const probe = document.createElement("i");
  scaled.append(probe);
  const style = getComputedStyle(probe);
  const variable = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return style.color;
  };
  const inks = {
    shades: Array.from({ length: 2 * LAST + 1 }, (_, at) => variable(`q${at - LAST}`)),
    text: variable("text"),
    muted: variable("muted"),
    line: variable("line"),
    panel: variable("panel"),
    focus: variable("focus"),
    orange: variable("orange"),
    hit: variable("hit"),
  };
  probe.remove();
  return inks;
}

/** Sets up the canvas for its size and this screen; coordinates are CSS pixels. */
export function prepared(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d") ?? undefined;
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
