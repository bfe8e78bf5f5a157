export * from "./lint.ts";
export * from "./report.ts";
