/**
 * Which run a launch of a training job writes to: the requested one, or one next to it if that belongs to an earlier
 * launch. Every rank of a launch asks here, so that all get the same answer, whenever and wherever they start.
 *
 *     DATA/.serve.launches     one JSON object per line: {"run": asked, "launch": …, "name": given}
 *
 * @module
 */
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError, UsageError } from "../../../core/base/index.ts";
import { folderName } from "./run-name.ts";

export const RESUMES = ["allow", "must", "never"] as const;
export type Resume = (typeof RESUMES)[number];

export interface Launch {
  /** The requested name. */
  readonly run: string;
  readonly launch: string;
  /** Undefined: beside an earlier run. */
  readonly resume: Resume | undefined;
}

/** The data directory. */
interface Runs {
  readonly directory: string;
  has(folder: string): boolean;
}

interface Assignment {
  readonly run: string;
  readonly launch: string;
  readonly name: string;
}

export class RunLaunches {
  readonly #runs: Runs;
  #assigned: Promise<Map<string, string>> | undefined;
  /** Names given to launches whose first batch may not be stored yet. */
  readonly #names = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  get #path(): string {
    return join(this.#runs.directory, ".serve.launches");
  }

  /**
   * The name of the run that a launch writes to. The answer is durable: a later server gives the same.
   *
   * @throws UsageError if `resume` forbids the existing run, or requires one that does not exist
   * @throws the system's error if it cannot be stored
   */
  resolve(launch: Launch): Promise<string> {
    // One at a time: two launches must not get the same name.
    const answer = this.#last.then(() => this.#resolve(launch));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #resolve({ run, launch, resume }: Launch): Promise<string> {
    this.#assigned ??= this.#read();
    const assigned = await this.#assigned.catch((error: unknown) => {
      this.#assigned = undefined;
      throw error;
    });
    const known = assigned.get(keyText(run, launch));
    if (known !== undefined) return known;
    const name = this.#choose(run, resume);
    await append(this.#path, { run, launch, name });
    this.#names.add(name);
    assigned.set(keyText(run, launch), name);
    return name;
  }

  #choose(run: string, resume: Resume | undefined): string {
    const isTaken = (name: string): boolean => this.#names.has(name) || this.#runs.has(folderName(name));
    if (resume === "must" && !isTaken(run))
      throw new UsageError(`resume is "must", but there is no run ${JSON.stringify(run)}`);
    if (resume === "never" && isTaken(run))
      throw new UsageError(`resume is "never", but there is a run ${JSON.stringify(run)} already`);
    if (resume !== undefined || !isTaken(run)) return run;
    let number = 2;
    while (isTaken(`${run}-${number}`)) number++;
    return `${run}-${number}`;
  }

  async #read(): Promise<Map<string, string>> {
    const assigned = new Map<string, string>();
    for (const line of (await readText(this.#path)).split("\n")) {
      const found = parseAssignment(line);
      if (found === undefined) continue;
      assigned.set(keyText(found.run, found.launch), found.name);
      this.#names.add(found.name);
    }
    return assigned;
  }
}

function keyText(run: string, launch: string): string {
  return `${launch} ${run}`;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isSystemError(error) && error.code === "ENOENT") return "";
    throw error;
  }
}

/** Undefined for a line that a crash cut off: its launch was not answered. */
function parseAssignment(line: string): Assignment | undefined {
  try {
    const { run, launch, name } = JSON.parse(line);
    return [run, launch, name].every((text) => typeof text === "string") ? { run, launch, name } : undefined;
  } catch {
    return undefined;
  }
}

async function append(path: string, assignment: Assignment): Promise<void> {
  const file = await open(path, "a");
  try {
    // The line break in front ends a line that a crash cut off.
    await file.appendFile(`\n${JSON.stringify(assignment)}`);
    await file.sync();
  } finally {
    await file.close();
  }
}
