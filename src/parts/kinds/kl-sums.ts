import { type Codec, mapOf, SchemaError, TEXT } from "../../core/base/index.ts";
import { contents, layoutOf, Sums } from "../../core/summaries/index.ts";
import {
  findLast as findLastCheckpoint,
  listCandidates,
  type PlacedStudy,
  STUDY_SUMS,
  type StudySums,
  type TextUnderCheckpoints,
} from "../../study/analysis/index.ts";
import { JUDGING_OPTIONS } from "../../study/flags.ts";
import type { ShardSums } from "../part.ts";
import type { KindOfPart } from "./kind.ts";

/** Number of texts kept for revisiting at which the superfluous ones are dropped: a report needs fewer than 60. */
const MOST_LOOKED = 500;

/** How scores are read, and studies by where they lie; undefined of sums of nothing. */
type Content = { readonly settings: string; readonly studies: ReadonlyMap<string, StudySums> } | undefined;

const STUDIES = mapOf(STUDY_SUMS);
const CONTENT: Codec<Content> = {
  text: `{settings: ${TEXT.text}, studies: ${STUDIES.text}} or empty`,
  write(content, to) {
    TEXT.write(content?.settings ?? "", to);
    if (content !== undefined) STUDIES.write(content.studies, to);
  },
  read(from) {
    const settings = TEXT.read(from);
    return settings === "" ? undefined : { settings, studies: STUDIES.read(from) };
  },
};

/**
 * Studies by their directory, and how they are to be read. They are kept separate: the order of their texts is that of
 * the studies, which is known only when all are there.
 */
export class KlSums extends Sums implements ShardSums {
  static readonly layout = layoutOf<KlSums>({
    content: contents(
      CONTENT,
      (sums) => sums.#content(),
      (sums, content) => sums.#addContent(content),
    ),
  });
  #settings: string | undefined;
  /** The study that the settings came from. */
  #from = "";
  readonly #studies = new Map<string, StudySums>();

  /** How scores are read, as JSON in the keys of a study's config; undefined if nothing was summed. */
  get settings(): string | undefined {
    return this.#settings;
  }

  get sequences(): number {
    return this.#count(({ texts }) => texts.length);
  }

  /** Number of tokens at the last checkpoint, over all studies. */
  get tokens(): number {
    return this.#count(({ checkpoints }) => {
      const texts = findLastCheckpoint(checkpoints)?.texts ?? [];
      return texts.reduce((sum, { tokens }) => sum + tokens, 0);
    });
  }

  #count(of: (study: StudySums) => number): number {
    return [...this.#studies.values()].reduce((sum, study) => sum + of(study), 0);
  }

  get sequencesByFile(): ReadonlyMap<string, number> {
    return new Map([...this.#studies].map(([name, { texts }]) => [name, texts.length]));
  }

  /**
   * @param settings settings as JSON, keys in order
   * @throws SchemaError when earlier studies were read with other settings
   */
  add(name: string, study: StudySums, settings: string): void {
    this.#require(settings, name);
    this.#studies.set(name, study);
    this.#sortOut();
  }

  /** The named studies in this order; absent ones are left out. */
  list(names: readonly string[]): PlacedStudy[] {
    return names.flatMap((at) => {
      const sums = this.#studies.get(at);
      return sums === undefined ? [] : [{ at, sums }];
    });
  }

  #content(): Content {
    if (this.#settings === undefined) return undefined;
    const studies = new Map([...this.#studies].sort(([a], [b]) => (a < b ? -1 : 1)));
    return { settings: this.#settings, studies };
  }

  #addContent(content: Content): void {
    if (content === undefined) return;
    for (const [name, study] of content.studies) {
      this.#require(content.settings, name);
      this.#studies.set(name, study);
    }
    this.#sortOut();
  }

  #require(settings: string, name: string): void {
    if (this.#settings === undefined) [this.#settings, this.#from] = [settings, name];
    if (this.#settings === settings) return;
    throw new SchemaError(`${name} is read with other settings than ${this.#from}: ${settings}`, {
      at: { file: name },
      likely: `their configs differ; ${this.#from} has ${this.#settings}`,
      hint: "logratio summarize --for kl takes the same settings as flags for all of them",
    });
  }

  /**
   * Keeps, of the texts kept for revisiting, those that a report may still choose, whichever studies follow. The choice
   * depends only on what is here, not on the order in which it came; when this runs does depend on the order, but a
   * report finds every text that it chooses either way.
   */
  #sortOut(): void {
    if (this.#count(({ looked }) => looked.length) <= MOST_LOOKED) return;
    const last = findLastCheckpoint([...this.#studies.values()].flatMap(({ checkpoints }) => checkpoints));
    const ranked = [...this.#studies].flatMap(([name, { looked, checkpoints }]) => {
      const texts = checkpoints.find((one) => one.name === last?.name)?.texts ?? [];
      const summaries = new Map(texts.map((summary) => [summary.index, summary]));
      return looked.flatMap((one) => {
        const summary = summaries.get(one.index);
        return summary === undefined ? [] : [{ name, one, summary, correct: one.text.correct }];
      });
    });
    const kept = new Map<string, TextUnderCheckpoints[]>();
    for (const { name, one } of listCandidates(ranked)) kept.set(name, [...(kept.get(name) ?? []), one]);
    for (const [name, study] of this.#studies)
      if (study.looked.length > 0) this.#studies.set(name, { ...study, looked: kept.get(name) ?? [] });
  }
}

/** Studies are read by `scoring`, which knows their layout on disk. */
export const KL_PARTS: KindOfPart = {
  version: 2,
  flags: JUDGING_OPTIONS,
  makeSums: () => new KlSums(),
};
