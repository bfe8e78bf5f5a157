// Vitest as Stryker runs it (`npm run mutation`): only the tests that cover the folder under test, without those that
// need a build, a browser, Python or data outside the repository. A mutant lives in the source; such tests would run
// the untouched build, or skip themselves. Tests that damage files at random are left out too: they take seconds for
// every mutant, and check only that no error is unforeseen.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      // The file that the runner in scripts/mutation/hot is told to run.
      "scripts/mutation/hot/idle.ts",
      ...(JSON.parse(process.env.MUTATION_TESTS ?? '["src/**/*.test.ts"]') as string[]),
    ],
    exclude: [
      "src/core/kernels/golden.test.ts",
      "src/input/readers/array-damage.test.ts",
      "src/input/readers/array-lab.test.ts",
      "src/input/readers/json/shared-data.test.ts",
    ],
    // Loading fast-check takes longer than most mutants do, so only folders that use it load it.
    setupFiles: process.env.MUTATION_PROPERTIES === "no" ? [] : ["test/support/property-seed.ts"],
    // Long, for shared machines: Stryker ends endless loops.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
