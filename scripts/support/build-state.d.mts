export const ROOT: string;
export function findStalePart(part: "program" | "page", dist?: string): string | undefined;
