export { clipMiddle } from "./columns.ts";
export { pasteable } from "./command.ts";
export type { ScreenOptions } from "./screen.ts";
export { levelSign } from "./surface.ts";
