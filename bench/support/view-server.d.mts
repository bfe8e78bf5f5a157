export const DIST: string;

export interface RunningView {
  readonly url: string;
  /** What it has said on standard error. */
  readonly messages: () => string;
  /** The exit status. */
  readonly stop: () => Promise<number | null>;
}

export function startView(
  words: readonly string[],
  options?: { readonly token?: boolean },
): Promise<RunningView>;
