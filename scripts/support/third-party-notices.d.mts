export const NOTICES: string;
export function findPackages(ids: readonly string[], root?: string): string[];
export function writeNotices(folders: readonly string[]): string;
export function namedPackages(text: string): string[];
