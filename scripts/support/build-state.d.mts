export const ROOT: string;
export function findStalePart(part: "modules" | "program" | "page"): string | undefined;
