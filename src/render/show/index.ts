export { renderShowTerminal, type ShowTerminalOptions } from "./terminal.ts";
