/**
 * A command that writes files, run with faults, then once more without.
 *
 * @module
 */
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { expect } from "vitest";
import { type Call, describeFault, type Fault, startProgram } from "./injected.ts";
import { checkEnd, isFailedRemoval, isTemporary, openLog, type Scenario } from "./scenario.ts";

export interface CommandOptions {
  readonly name: string;
  /** The inputs are in `../inputs`, and everything is written below the working directory. */
  readonly args: readonly string[];
  /** Creates the inputs there. */
  readonly makeInputs: (inputs: string) => void | Promise<void>;
  /** Whether a file is right even if it is not one of the finished ones, whose bytes are known. */
  readonly isOfUnfinished?: (path: string, bytes: Buffer) => boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Files by path; directories have empty text. */
type Tree = ReadonlyMap<string, Buffer | "">;

export class CommandScenario implements Scenario {
  readonly name: string;
  readonly #options: CommandOptions;
  #folder = "";
  #whole: Tree = new Map();
  #trials = 0;

  constructor(options: CommandOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Makes the inputs, and runs the command undisturbed. @returns its calls that change files */
  async prepare(folder: string): Promise<readonly Call[]> {
    this.#folder = realpathSync(folder);
    mkdirSync(join(this.#folder, "inputs"));
    await this.#options.makeInputs(join(this.#folder, "inputs"));
    const directory = this.#makeDirectory("whole");
    const started = startProgram(
      directory,
      this.#options.args,
      { below: [directory], log: join(this.#folder, "calls") },
      this.#options.env,
    );
    expect(await started.ended).toMatchObject({ status: 0 });
    this.#whole = this.#read(directory);
    return started.noted();
  }

  #makeDirectory(name: string): string {
    const directory = join(this.#folder, name);
    mkdirSync(directory);
    return directory;
  }

  #read(directory: string): Tree {
    return new Map(
      [...readTree(directory)].map(([path, bytes]) => [path, isZip(bytes) ? eraseTimes(bytes) : bytes]),
    );
  }

  async check(faults: readonly Fault[]): Promise<void> {
    const directory = this.#makeDirectory(`trial-${this.#trials++}`);
    const log = openLog(directory);
    const { args, env } = this.#options;
    const told: string[] = [];
    for (const fault of faults) {
      const started = startProgram(directory, args, { below: [directory], log, fault }, env);
      const ended = await started.ended;
      const [hit] = started.noted();
      told.push(`${this.name}: ${describeFault(fault, hit)}`);
      const message = `${told.join("\n then ")}\n${ended.err}`;
      checkEnd(ended, fault, hit, message);
      const state =
        ended.status !== 0 ? "unfinished" : isFailedRemoval(fault, hit) ? "uncleared" : "finished";
      this.#checkFiles(this.#read(directory), state, message);
    }
    const ended = await startProgram(directory, args, undefined, env).ended;
    const message = `${told.join("\n then ")}\n then undisturbed: ${ended.err}`;
    expect(ended.status, message).toBe(0);
    expect(differing(this.#read(directory), this.#whole), message).toEqual([]);
    rmSync(directory, { recursive: true });
    rmSync(log, { force: true });
  }

  /** Every file under its final name is whole; all of them exist if the run says so. */
  #checkFiles(tree: Tree, state: "unfinished" | "uncleared" | "finished", message: string): void {
    const { isOfUnfinished = () => false } = this.#options;
    const visible = new Map([...tree].filter(([path]) => !isTemporary(path)));
    const wrong = differing(visible, this.#whole).filter((path) => {
      const bytes = visible.get(path);
      if (state === "finished") return true;
      if (state === "uncleared") return this.#whole.has(path);
      return bytes !== undefined && bytes !== "" && !isOfUnfinished(path, bytes);
    });
    expect(wrong, message).toEqual([]);
  }
}

const isZip = (bytes: Buffer | ""): bytes is Buffer =>
  bytes !== "" && bytes.toString("latin1", 0, 2) === "PK";

/** The times at which members of a zip were written: before the members, in its directory, and as Unix times. */
function eraseTimes(bytes: Buffer): Buffer {
  const erased = Buffer.from(bytes);
  for (const [signature, offset] of [
    ["PK\x03\x04", 10],
    ["PK\x01\x02", 12],
    ["UT\x05\x00", 5],
  ] as const)
    for (let at = erased.indexOf(signature); at >= 0; at = erased.indexOf(signature, at + 1))
      erased.fill(0, at + offset, at + offset + 4);
  return erased;
}

function readTree(directory: string): Tree {
  const tree = new Map<string, Buffer | "">();
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(directory, name);
    const key = relative(directory, path).split(sep).join("/");
    tree.set(key, statSync(path).isDirectory() ? "" : readFileSync(path));
  }
  return tree;
}

/** Paths that are in only one tree, or have different bytes. */
function differing(a: Tree, b: Tree): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => {
    const [one, other] = [a.get(path), b.get(path)];
    if (one === undefined || other === undefined) return true;
    return typeof one === "string" || typeof other === "string" ? one !== other : !one.equals(other);
  });
}
