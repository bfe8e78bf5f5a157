export interface RunningServe {
  readonly url: string;
  readonly pid: number;
  readonly startedIn: number;
  readonly messages: () => string;
  /** Its exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals>;
}

export interface BatchShape {
  readonly sequences?: number;
  readonly tokens?: number;
  readonly salt?: number;
  readonly drift?: number;
}

export interface BatchName {
  readonly run?: string;
  readonly step: number;
  readonly rank?: number;
  readonly call?: number;
  readonly launch?: string | undefined;
}

export interface PutAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly ms: number;
}

export function startServe(
  directory: string,
  words?: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<RunningServe>;
export function makeBatch(of: BatchShape & Omit<BatchName, "run">): Buffer;
export function encodeBatch(
  columns: Readonly<
    Record<string, readonly [string, Float32Array | Int32Array | BigInt64Array | Float64Array | Buffer]>
  >,
  metadata: Readonly<Record<string, string>>,
): Buffer;
export function digestHeader(body: Uint8Array): string;
export function putBatch(
  url: string,
  name: BatchName,
  body: Uint8Array,
  options?: { readonly agent?: unknown; readonly headers?: Readonly<Record<string, string | number>> },
): Promise<PutAnswer>;
export function writeBatches(of: {
  readonly urlOf: () => string;
  readonly run?: string;
  readonly rank: number;
  readonly batches: number;
  readonly shape?: BatchShape;
  readonly isOver?: () => boolean;
  readonly onAck?: () => void;
}): Promise<{
  readonly acknowledged: readonly string[];
  readonly latencies: readonly number[];
  readonly refused: number;
  readonly lost: number;
}>;
