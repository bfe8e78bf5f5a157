import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "web/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/support/property-seed.ts"],
    testTimeout: 60_000,
  },
});
