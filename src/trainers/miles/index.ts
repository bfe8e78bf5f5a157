export { miles } from "./preset.ts";
