export function preparePython(
  name: "tests" | "trainers" | "site" | "conda",
): Promise<{ python?: string; skipped?: string }>;
