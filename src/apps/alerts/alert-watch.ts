/**
 * Delivers alerts to the terminal, webhooks and commands. When one is raised belongs in `analyses/alerts`.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  type AlertChange,
  type AlertChannel,
  type AlertRules,
  type AlertState,
  evaluateAlerts,
  listRaised,
  NO_ALERTS,
} from "../../analyses/alerts/index.ts";
import type { Results } from "../../analyses/conditions/index.ts";
import { parseAlertRules } from "../../analyses/rule-files/index.ts";
import { NotFoundError, UsageError } from "../../core/base/index.ts";
import { plural } from "../../core/text/index.ts";
import { makeDirectory, readTextIfPresent, writeWholeFile } from "../../input/io/index.ts";
import type { Alert, RaisedAlert } from "../../results/alerts.ts";
import { Outbox, type Parcel } from "./outbox.ts";
import { runCommand } from "./run-command.ts";
import { sendWebhook } from "./send-webhook.ts";

/** Reads the rules of a file. @throws NotFoundError and what `parseAlertRules` throws */
export async function readAlertRules(file: string): Promise<AlertRules> {
  const text = await readTextIfPresent(file);
  if (text === undefined) throw new NotFoundError(`the rules file ${file} does not exist`, { at: { file } });
  return parseAlertRules(text, file);
}

export interface AlertWatchOptions {
  readonly rules: AlertRules;
  /** Identifies the run in ids; the same each time it is watched. */
  readonly run: string;
  /** Receives lines for the terminal. */
  readonly tell: (message: string) => void;
  /** Where events and pending deliveries are stored; default in the user's cache directory. */
  readonly stateFile?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Before the first retry; default 500 ms. */
  readonly baseMs?: number;
}

interface Kept {
  readonly version: 1;
  readonly state: AlertState;
  readonly waiting: Readonly<Record<string, readonly Parcel[]>>;
  /** Absent if an older version stored it. */
  readonly alerts?: readonly RaisedAlert[];
  /** How far the run was evaluated, in the caller's count. */
  readonly seen?: number;
}

/** @throws UsageError if an environment variable that the rules name is not set, or is not an address */
export function checkChannels(
  { channels }: AlertRules,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): void {
  for (const channel of channels) openChannel(channel, environment);
}

/**
 * The run's events stored in an `AlertWatch`'s file; empty without a readable one, which is reported when the run is
 * watched.
 */
export async function readKeptAlerts(file: string): Promise<readonly RaisedAlert[]> {
  return (await readKept(file).catch(() => undefined))?.alerts ?? [];
}

/**
 * Watches one run: each event is reported on the terminal once and delivered to every channel of its rule at least
 * once. It is on disk from before it is sent until it was delivered, so that a killed program delivers it after a
 * restart.
 */
export class AlertWatch {
  readonly #options: AlertWatchOptions;
  readonly #file: string;
  readonly #outboxes: readonly Outbox[];
  #state: AlertState;
  #alerts: readonly RaisedAlert[];
  #seen: number;
  #keeping: Promise<void> = Promise.resolve();
  #hasTold = false;

  private constructor(options: AlertWatchOptions, file: string, kept: Kept | undefined) {
    this.#options = options;
    this.#file = file;
    this.#state = kept?.state ?? NO_ALERTS;
    this.#alerts = kept?.alerts ?? [];
    this.#seen = kept?.seen ?? 0;
    this.#outboxes = options.rules.channels.map(
      (channel) =>
        new Outbox({
          name: channel.name,
          send: openChannel(channel, options.environment ?? process.env),
          tell: options.tell,
          onChange: () => void this.#keep(),
          waiting: kept?.waiting[channel.name] ?? [],
          ...(options.baseMs !== undefined && { baseMs: options.baseMs }),
        }),
    );
  }

  /** @throws UsageError if an environment variable that the rules name is not set */
  static async open(options: AlertWatchOptions): Promise<AlertWatch> {
    const file = options.stateFile ?? findStateFile(options.run);
    return new AlertWatch(options, file, await readKept(file));
  }

  /** The state of the run's events, for callers that evaluate the rules elsewhere. */
  get state(): AlertState {
    return this.#state;
  }

  /** The events so far, the last raised last. */
  get alerts(): readonly RaisedAlert[] {
    return this.#alerts;
  }

  /** How far the run was evaluated, as passed to {@link apply}; 0 at first. */
  get seen(): number {
    return this.#seen;
  }

  /** Saves the state, so that the next start knows that the run is watched. */
  keep(): Promise<void> {
    return this.#keep();
  }

  /** Evaluates a state of the run. Due alerts are saved before this resolves, and sent in the background. */
  async look(results: Results): Promise<readonly Alert[]> {
    const { rules, run } = this.#options;
    return this.apply(evaluateAlerts(results, rules, this.#state, run));
  }

  /**
   * Takes what `evaluateAlerts` found from the {@link state} of this watch.
   *
   * @param seen how far the run was evaluated, saved with the change
   */
  async apply(change: AlertChange, seen = this.#seen): Promise<readonly Alert[]> {
    const { rules, tell } = this.#options;
    const { state, raised, over } = change;
    this.#state = state;
    this.#alerts = listRaised(this.#alerts, change, rules, new Date());
    this.#seen = seen;
    const parcels = raised.map(({ alert, rule }) => ({
      rule,
      parcel: { id: alert.id, body: JSON.stringify(alert) },
    }));
    for (const { alert } of raised) tell(`alert: ${alert.text}`);
    for (const { rule, repeats } of over)
      tell(`over: ${rule.name}${repeats === 0 ? "" : `, seen ${plural(repeats, "more time")}`}`);
    const additions = this.#outboxes.map((outbox) =>
      parcels.filter(({ rule }) => rule.notify?.includes(outbox.name) ?? true).map(({ parcel }) => parcel),
    );
    await this.#keep(additions);
    this.#outboxes.forEach((outbox, at) => {
      for (const parcel of additions[at]!) outbox.add(parcel);
    });
    return raised.map(({ alert }) => alert);
  }

  /** @param additions parcels that are about to be added to each outbox */
  #keep(additions: readonly (readonly Parcel[])[] = []): Promise<void> {
    const kept: Kept = {
      version: 1,
      state: this.#state,
      waiting: Object.fromEntries(
        this.#outboxes.map((outbox, at) => [outbox.name, [...outbox.waiting, ...(additions[at] ?? [])]]),
      ),
      alerts: this.#alerts,
      seen: this.#seen,
    };
    const write = async (): Promise<void> => {
      try {
        makeDirectory(join(this.#file, ".."));
        await writeWholeFile(this.#file, JSON.stringify(kept));
      } catch (error) {
        if (!this.#hasTold)
          this.#options.tell(
            `alerts are not kept on disk, so a restart may repeat or lose them: ${(error as Error).message}`,
          );
        this.#hasTold = true;
      }
    };
    // One write after the other, so that the last state remains.
    this.#keeping = this.#keeping.then(write);
    return this.#keeping;
  }

  /** Gives deliveries some seconds, saves the rest, and reports how many are left. */
  async close(graceMs = 5000): Promise<void> {
    await Promise.all(this.#outboxes.map((outbox) => outbox.close(graceMs)));
    await this.#keep();
    const left = this.#outboxes.reduce((sum, { waiting }) => sum + waiting.length, 0);
    if (left > 0)
      this.#options.tell(`${plural(left, "alert")} not delivered yet: the next start will try again`);
  }
}

function openChannel(
  channel: AlertChannel,
  environment: Readonly<Record<string, string | undefined>>,
): (parcel: Parcel, signal: AbortSignal) => Promise<void> {
  if (channel.kind === "command") return ({ body }, signal) => runCommand(channel.words, body, signal);
  const read = (name: string): string => {
    const value = environment[name];
    if (value !== undefined && value !== "") return value;
    throw new UsageError(
      `the environment variable ${name}, which the alerts for ${channel.name} need, is not set`,
      {
        hint: `set it: export ${name}=…`,
      },
    );
  };
  const url = "text" in channel.url ? channel.url.text : read(channel.url.env);
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new UsageError(`the address of ${channel.name} is not an http or https address`);
  const secret = channel.secretEnv === null ? undefined : read(channel.secretEnv);
  return (parcel, signal) => sendWebhook({ url, secret }, parcel, signal);
}

/** Not next to the data, which another machine may be watching. */
function findStateFile(run: string): string {
  const home = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(
    home,
    "logratio",
    "alerts",
    `${createHash("sha256").update(run).digest("hex").slice(0, 16)}.json`,
  );
}

/** Undefined if there is no file, or it is not ours: then every current event is raised. @throws FileSystemError */
async function readKept(file: string): Promise<Kept | undefined> {
  const text = await readTextIfPresent(file);
  try {
    const kept = JSON.parse(text ?? "null") as Partial<Kept> | null;
    const isOurs = kept?.version === 1 && kept.state?.version === 1 && typeof kept.waiting === "object";
    return isOurs ? (kept as Kept) : undefined;
  } catch {
    return undefined;
  }
}
