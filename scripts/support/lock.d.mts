export interface LockedPackage {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly optional?: boolean;
}
export function findUnpinned(lock: { readonly packages: Readonly<Record<string, LockedPackage>> }): string[];
