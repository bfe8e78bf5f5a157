import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";

/** Tests of `test/` that call sources only; every other one there runs what `npm run build` made. */
const PURE = [
  "test/golden*.test.ts",
  "test/calibration*.test.ts",
  "test/{report,docs,mutation}/**/*.test.ts",
];
/** Tests that put a module in another's place, so that no other test may share its modules. */
const ALONE = ["src/**/*.flow.test.ts"];
/** Tests that need PyTorch or install a wheel: npm run test:trainers. */
const TRAINERS = ["src/study/scoring/torch/*.test.ts", "test/hf-study.test.ts", "test/python/**/*.test.ts"];
const DIST = fileURLToPath(new URL("dist/", import.meta.url)).replaceAll("\\", "/");

/** An import of the build would pass by what `test/support/refuse-dist.ts` watches: Vite reads modules itself. */
const refuseDistImports: Plugin = {
  name: "refuse-dist-imports",
  enforce: "pre",
  load(id) {
    if (id.startsWith(DIST))
      throw new Error(
        `${id.slice(DIST.length - "dist/".length)} is imported by a unit test: see CONTRIBUTING.md, Tests`,
      );
  },
};

/** Hooks compile sources, start servers and browsers: on a busy machine none of that is done in Vitest's ten seconds. */
const shared = {
  setupFiles: ["test/support/property-seed.ts", "test/support/equal-arrays.ts"],
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    globalSetup: ["test/support/private-tmpdir.ts"],
    projects: [
      {
        plugins: [refuseDistImports],
        test: {
          ...shared,
          name: "unit",
          include: ["src/**/*.test.ts", "web/**/*.test.ts", ...PURE],
          exclude: [...ALONE, ...TRAINERS],
          setupFiles: [...shared.setupFiles, "test/support/refuse-dist.ts"],
          // They keep no state between files; loading modules anew for each took 38 % of the time in src/core, 58 % in web.
          isolate: false,
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [refuseDistImports],
        test: {
          ...shared,
          name: "unit-alone",
          include: ALONE,
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "built",
          include: ["test/**/*.test.ts"],
          exclude: ["test/browser/**", ...PURE, ...TRAINERS],
          globalSetup: ["test/support/require-dist.ts"],
          maxWorkers: "100%",
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/support/require-dist.ts", "test/support/demo-cache.ts"],
          maxWorkers: 2,
          // On a busy machine a browser loses an event now and then (a download, once in thousands). Vitest names
          // each test that needed its second try.
          retry: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...shared,
          name: "trainers",
          include: TRAINERS,
          globalSetup: ["test/support/require-dist.ts"],
          maxWorkers: "100%",
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
