/**
 * The bundled demo run, in the form that the command line takes.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

export const DEMO = fileURLToPath(new URL("../../examples/demo", import.meta.url));
export const DEMO_FLAGS = [
  "--tokenizer",
  fileURLToPath(new URL("../../examples/demo/tokenizer", import.meta.url)),
];
