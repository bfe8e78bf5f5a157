/**
 * One sequence, or one token of it, in the terminal. Finding it and its values belong in `src/analyses/show`.
 *
 * @module
 */
export { renderShowTerminal, type ShowTerminalOptions } from "./terminal.ts";
