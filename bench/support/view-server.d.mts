export const DIST: string;
export const PROGRAM: string;

export interface RunningView {
  readonly url: string;
  /** What it has said on standard error. */
  readonly messages: () => string;
  /** The exit status. */
  readonly stop: () => Promise<number | null>;
}

/** Resolves once the viewer there has read its run. */
export function untilRead(url: string | URL): Promise<void>;

export function startView(
  words: readonly string[],
  options?: { readonly token?: boolean },
): Promise<RunningView>;
