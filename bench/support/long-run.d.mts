export function writeLongRun(path: string, tokens: number): void;
