/**
 * Alert rules for every run that is written to: a watch for each, stored next to its log, so that it is removed with
 * the run.
 *
 * @module
 */
import { basename, resolve } from "node:path";
import type { AlertChange, AlertRules } from "../../../analyses/alerts/index.ts";
import { runPlaces } from "../../../input/batch-log/index.ts";
import { printable } from "../../../render/text/index.ts";
import type { RaisedAlert } from "../../../results/alerts.ts";
import { AlertWatch } from "../../alerts/alert-watch.ts";
import { writeAlertList } from "../../viewer/prepare/cache/alert-list.ts";
import type { AlertTask } from "../seal/run-figures.ts";
import { runNameFromFolder } from "./run-name.ts";

export interface RunAlertsOptions {
  readonly rules: AlertRules;
  /** Receives lines for the terminal; they name the run. */
  readonly tell: (message: string) => void;
}

export class RunAlerts {
  readonly #options: RunAlertsOptions;
  readonly #watches = new Map<string, Promise<AlertWatch>>();
  readonly #applying = new Map<string, Promise<unknown>>();

  constructor(options: RunAlertsOptions) {
    this.#options = options;
  }

  /** The state and rules for the next look at a run. From then on the run is recorded as watched, whatever happens. */
  async task(folder: string): Promise<AlertTask> {
    const watch = await this.open(folder);
    return { rules: this.#options.rules.rules, state: watch.state, run: resolve(folder) };
  }

  /**
   * Takes the result of a look, reports it, and lists it for the viewer.
   *
   * @param segment the last one evaluated
   */
  apply(folder: string, change: AlertChange, segment: number): Promise<readonly RaisedAlert[]> {
    const applied = this.#apply(folder, change, segment);
    const settled = applied.catch(() => {}).then(() => this.#applying.delete(folder));
    this.#applying.set(folder, settled);
    return applied;
  }

  async #apply(folder: string, change: AlertChange, segment: number): Promise<readonly RaisedAlert[]> {
    const watch = await this.open(folder);
    await watch.apply(change, segment);
    if (change.raised.length > 0 || change.over.length > 0)
      await writeAlertList([folder], undefined, watch.alerts).catch((error: Error) =>
        this.#options.tell(`${nameRun(folder)}: the viewer cannot mark alerts: ${error.message}`),
      );
    return watch.alerts;
  }

  /** Also sends what an earlier server could not deliver. */
  open(folder: string): Promise<AlertWatch> {
    const known = this.#watches.get(folder);
    if (known !== undefined) return known;
    const { rules, tell } = this.#options;
    const opening = AlertWatch.open({
      rules,
      run: resolve(folder),
      tell: (message) => tell(`${nameRun(folder)}: ${message}`),
      stateFile: runPlaces(folder).alerts,
    }).then(async (watch) => {
      await watch.keep();
      return watch;
    });
    this.#watches.set(folder, opening);
    opening.catch(() => this.#watches.delete(folder));
    return opening;
  }

  /** For a run that will be removed: writes nothing about it from then on. */
  async forget(folder: string): Promise<void> {
    await this.#applying.get(folder);
    const watch = this.#watches.get(folder);
    this.#watches.delete(folder);
    await (await watch)?.close(0);
  }

  /** Gives deliveries some seconds; the next start sends the rest. */
  async close(): Promise<void> {
    await Promise.all(this.#applying.values());
    await Promise.all([...this.#watches.values()].map(async (watch) => (await watch).close()));
  }
}

function nameRun(folder: string): string {
  return printable(runNameFromFolder(basename(folder)) ?? folder);
}
