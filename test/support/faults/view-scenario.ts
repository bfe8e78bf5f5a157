/**
 * The viewer's server under faults: its cache, and what it stores for a page.
 *
 * @module
 */
import { mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import {
  type Call,
  describeFault,
  type Fault,
  type Injection,
  type Started,
  startProgram,
} from "./injected.ts";
import { DISK_ERROR, isFailedRemoval, listTemporary, openLog, type Scenario } from "./scenario.ts";

export interface ViewOptions {
  readonly name: string;
  /** Words after `view`; inputs are in `../inputs`. */
  readonly paths: readonly string[];
  readonly makeInputs: (inputs: string) => void | Promise<void>;
  /** Paths below `api/` whose answers must stay the same. */
  readonly answers: readonly string[];
  /** Handles of places to star, one after the other. */
  readonly stars?: readonly string[];
}

/** What a page received from a server; fewer answers if the server ended meanwhile. */
interface Session {
  readonly answers: ReadonlyMap<string, string>;
  /** Stars whose request was answered with 200, before and in this session. */
  readonly starred: readonly string[];
  /** Stars that the server lists at its start. */
  readonly listed: readonly string[];
  /** Undefined if it ended by itself or was killed. */
  readonly isServing: boolean;
}

export class ViewScenario implements Scenario {
  readonly name: string;
  readonly #options: ViewOptions;
  #folder = "";
  #whole: Session | undefined;
  #names: readonly string[] = [];
  #trials = 0;

  constructor(options: ViewOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async prepare(folder: string): Promise<readonly Call[]> {
    this.#folder = realpathSync(folder);
    mkdirSync(join(this.#folder, "inputs"));
    await this.#options.makeInputs(join(this.#folder, "inputs"));
    const directory = join(this.#folder, "whole");
    mkdirSync(directory);
    const started = this.#start(directory, { below: [directory], log: join(this.#folder, "calls") });
    this.#whole = await this.#use(started, new Set());
    expect(this.#whole.isServing, started.err()).toBe(true);
    started.child.kill("SIGTERM");
    await started.ended;
    this.#names = listCaches(directory);
    return started.noted();
  }

  #start(directory: string, injection?: Injection): Started {
    const words = ["--cache", "cache", "--port", "0", "--no-open", "--no-token"];
    return startProgram(directory, ["view", ...this.#options.paths, ...words], injection);
  }

  async check(faults: readonly Fault[]): Promise<void> {
    const directory = join(this.#folder, `trial-${this.#trials++}`);
    mkdirSync(directory);
    const log = openLog(directory);
    const told: string[] = [];
    const starred = new Set<string>();
    let mayLeave = false;
    for (const fault of faults) {
      const started = this.#start(directory, { below: [directory], log, fault });
      const session = await this.#use(started, starred);
      const [hit] = started.noted();
      told.push(`${this.name}: ${describeFault(fault, hit)}`);
      await this.#checkEnd(started, session, fault, hit, told.join("\n then "));
      this.#checkAnswers(session, starred, told.join("\n then "));
      for (const handle of session.starred) starred.add(handle);
      mayLeave ||= isFailedRemoval(fault, hit);
    }
    const started = this.#start(directory);
    const session = await this.#use(started, starred);
    const message = `${told.join("\n then ")}\n then undisturbed: ${started.err()}`;
    expect(session.isServing, message).toBe(true);
    this.#checkAnswers(session, starred, message);
    expect([...session.answers.keys()], message).toEqual([...this.#whole!.answers.keys()]);
    started.child.kill("SIGTERM");
    expect(await started.ended, message).toMatchObject({ signal: null });
    if (!mayLeave) {
      expect(listTemporary(directory), message).toEqual([]);
      expect(listCaches(directory), message).toEqual(this.#names);
    }
    rmSync(directory, { recursive: true });
    rmSync(log, { force: true });
  }

  /** Makes a page's requests, as long as a server responds. */
  async #use(started: Started, known: ReadonlySet<string>): Promise<Session> {
    const answers = new Map<string, string>();
    const starred: string[] = [];
    let listed: readonly string[] = [];
    try {
      const url = await untilServing(started);
      listed = known.size > 0 ? await readStars(url) : [];
      for (const path of this.#options.answers) {
        const reply = await fetch(`${url}api/${path}`);
        const body = Buffer.from(await reply.arrayBuffer()).toString("latin1");
        if (reply.ok) answers.set(path, body);
        else expect(reply.status, body).toBeOneOf([500, 503, 507]);
      }
      for (const handle of this.#options.stars ?? []) {
        const body = JSON.stringify({ handle, note: "look here" });
        const headers = { "content-type": "application/json" };
        const reply = await fetch(`${url}api/stars`, { method: "POST", headers, body });
        if (reply.ok) starred.push(handle);
        await reply.arrayBuffer();
      }
      return { answers, starred, listed, isServing: true };
    } catch (error) {
      if (!isGone(error)) throw error;
      await started.ended;
      return { answers, starred, listed, isServing: false };
    }
  }

  async #checkEnd(
    started: Started,
    { isServing }: Session,
    { kind }: Fault,
    hit: Call | undefined,
    message: string,
  ): Promise<void> {
    if (isServing) started.child.kill("SIGTERM");
    const { status, signal, err } = await started.ended;
    if (hit !== undefined && kind.startsWith("kill")) return expect(signal, message).toBe("SIGKILL");
    expect(signal, `${message}\n${err}`).toBe(null);
    if (isServing) return;
    expect(hit, `${message}\nended with ${status}: ${err}`).toBeDefined();
    expect(status, `${message}\n${err}`).toBe(3);
    if (kind === "bug") return;
    expect(err, message).toMatch(DISK_ERROR);
    expect(err, message).not.toMatch(/bug:|\n {4}at /);
  }

  #checkAnswers(session: Session, starred: ReadonlySet<string>, message: string): void {
    const { answers } = this.#whole!;
    const wrong = [...session.answers].flatMap(([path, body]) => (body === answers.get(path) ? [] : path));
    expect(wrong, message).toEqual([]);
    const lost = session.isServing ? [...starred].filter((handle) => !session.listed.includes(handle)) : [];
    expect(lost, message).toEqual([]);
  }
}

async function readStars(url: string): Promise<string[]> {
  const reply = await fetch(`${url}api/stars`);
  const { stars } = (await reply.json()) as { stars: readonly { handle: string }[] };
  return stars.map(({ handle }) => handle);
}

/** The address, once the run is read. @throws `Gone` if the process ends before */
async function untilServing(started: Started): Promise<string> {
  for (;;) {
    if (started.child.exitCode !== null || started.child.signalCode !== null) throw new Gone();
    const url = started
      .out()
      .match(/^http:\S+$/gm)
      ?.at(-1);
    if (url !== undefined) {
      const reply = await fetch(`${url}api/run`);
      const answer = (await reply.json().catch(() => ({}))) as { kind?: string; status?: string };
      if (!reply.ok || (answer.kind !== "view-waiting" && !["reading", "preparing"].includes(answer.status!)))
        return url;
    }
    await sleep(10);
  }
}

class Gone extends Error {}

/** Whether the process no longer exists. */
function isGone(error: unknown): boolean {
  if (error instanceof Gone) return true;
  const { cause } = error as { cause?: { code?: string } };
  return (
    error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message) && cause !== undefined
  );
}

const listCaches = (directory: string): string[] => readdirSync(join(directory, "cache")).sort();
