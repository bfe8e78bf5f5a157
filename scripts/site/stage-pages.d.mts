export function stagePages(root: string, folder: string, repository: string | undefined): string[];
