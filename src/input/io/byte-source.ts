export type Allocate = (byteLength: number) => Uint8Array;

/**
 * Random access to bytes: the one way in which readers see files, memory and objects of remote stores.
 *
 * @module
 */
export interface ByteSource {
  /** The path as the user wrote it; `-` for standard input. */
  readonly name: string;
  /** Size, in bytes. */
  readonly byteLength: number;
  /** Its name is no path of this machine: what needs a file on disk copies it first. */
  readonly isRemote?: boolean;
  /**
   * Bytes `[start, end)`; `end` past the end is an error of the caller. The result may be a view.
   *
   * @param allocate where bytes that have to be copied may go: as many as it is asked for, from offset 0 of their memory.
   * A source need not ask. Default: memory of their own
   */
  slice(start: number, end: number, allocate?: Allocate): Promise<Uint8Array>;
  /** Frees what was opened; nothing is read afterwards. */
  close(): Promise<void>;
}
