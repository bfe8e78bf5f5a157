export function preparePython(
  name: "tests" | "trainers" | "site" | "conda" | "sentinel",
): Promise<{ python?: string; skipped?: string }>;
