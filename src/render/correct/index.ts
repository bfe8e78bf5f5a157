export { renderCorrectTerminal } from "./terminal.ts";
