// The file that Vitest is told to run. It ends when the mutation run does: see worker.mjs.
import { it } from "vitest";

it("starts the worker", () => {});
