export { toAscii } from "./ascii.ts";
export { heightCharacter, logHistogram, sparkline } from "./bars.ts";
export { clip, clipMiddle, displayWidth, pad } from "./columns.ts";
export { drawCommand, pasteable } from "./command.ts";
export { type FlowPiece, flowPieces } from "./flow.ts";
export { levelSign, makeSurface, type Style, type Surface, type TerminalOptions } from "./surface.ts";
export { drawTable } from "./table.ts";
export { wrap, wrapParts } from "./wrap.ts";
