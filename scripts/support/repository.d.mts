export function findRepository(
  manifest?: { readonly repository?: string | { readonly url: string } },
  env?: Readonly<Record<string, string | undefined>>,
): string | undefined;
