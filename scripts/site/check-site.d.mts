export function checkSite(folder: string): { pages: number; links: number; problems: string[] };
