export { chooseScale, sparkline } from "./bars.ts";
export { clip, clipMiddle, displayWidth, pad } from "./columns.ts";
export { pasteable } from "./command.ts";
export { drawDocument } from "./document.ts";
export { type FlowPiece, flowPieces } from "./flow.ts";
export { drawScreen, type ScreenOptions } from "./screen.ts";
export { levelSign, makeSurface, type TerminalOptions } from "./surface.ts";
export { wrap, wrapParts } from "./wrap.ts";
