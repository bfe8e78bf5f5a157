// npm run test:trainers: tests the Python package with PyTorch, transformers, Ray and the trainers themselves, the
// fault laboratory, and the wheel. Their environment (6 GB) is made once; LOGRATIO_PYTHON names an existing one.
import { join } from "node:path";
import { findStalePart, ROOT } from "./support/build-state.mjs";
import { preparePython } from "./support/python.mjs";
import { runCommand, runNode, runSteps } from "./support/steps.mjs";
import { TOOLS } from "./support/tools.mjs";

const stale = ["modules", "program", "page"].map(findStalePart).find((problem) => problem !== undefined);
if (stale !== undefined) {
  console.error(`these tests run what was built, and ${stale}: run npm run build first`);
  process.exit(1);
}
const { python, skipped } = await preparePython("trainers");
if (skipped !== undefined) {
  console.log(`SKIPPED: tests with PyTorch, the trainers and the wheel: ${skipped}`);
  process.exit(0);
}
const env = { LOGRATIO_PYTHON: python };
const pytest = (folder) =>
  runCommand([python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"], {
    cwd: join(ROOT, folder),
    env,
    live: true,
  });
const { failed, passed } = await runSteps(
  [
    ["the Python package beside the trainers", () => pytest("python")],
    ["the fault laboratory", () => pytest("lab")],
    [
      "Hugging Face models and the wheel",
      () => runNode([TOOLS.vitest(), "run", "--project=trainers"], { env, live: true }),
    ],
  ],
  { atOnce: 1 },
);
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length > 0 ? 1 : 0);
