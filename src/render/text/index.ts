export { csvLine } from "./csv.ts";
export {
  type Figure,
  type FigureKind,
  formatBytes,
  formatColumn,
  formatCount,
  formatFigure,
  formatId,
  formatNearOne,
  formatNumber,
  formatPair,
  formatPlain,
  formatProbability,
  formatShare,
  formatSigned,
  isFigure,
  isMissing,
  MISSING,
} from "./format.ts";
export { printable } from "./printable.ts";
