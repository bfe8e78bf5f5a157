/**
 * Random access to bytes: the one way in which readers see files, memory and objects of remote stores.
 *
 * @module
 */
export interface ByteSource {
  /** The path as the user wrote it; `-` for standard input. */
  readonly name: string;
  readonly byteLength: number;
  /** Its name is no path of this machine: what needs a file on disk copies it first. */
  readonly isRemote?: boolean;
  /** Bytes `[start, end)`; `end` past the end is an error of the caller. The result may be a view. */
  slice(start: number, end: number): Promise<Uint8Array>;
  close(): Promise<void>;
}
