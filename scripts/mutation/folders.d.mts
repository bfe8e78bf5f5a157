export function listFolders(): string[];
export function listMutated(folder: string): string[];
export function listTests(folder: string): string[];
export function hasPropertyTests(folder: string): boolean;
export function selectFolders(word: string): string[];
