import type { ComponentChildren } from "preact";
import { formatCounted, formatSigned } from "../../../../src/render/text/display/index.ts";
import { printable } from "../../../../src/render/text/index.ts";
import type { StoryEntry } from "../../../../src/results/story.ts";
import { changeStar, starFailure, story } from "../../state/stars.ts";
import { makeHref } from "../../state/url.ts";
import { Svg } from "../../ui/chart-picture.tsx";
import { shadeClass } from "../../ui/color-scale.ts";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { deltaScale } from "../../ui/legend.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import "./style.css";

/** The starred places, for sharing: on the screen, on paper, in a bundle, or as JSON lines. */
export function StoryView({ info }: ViewProps) {
  return (
    <WhenLoaded of={story()}>
      {({ entries }) => (
        <article class="story-view">
          <header>
            <h1>Story of {printable(info.name)}</h1>
            {entries.length > 0 && (
              <p class="tools">
                <span>{formatCounted(entries.length, "starred place")}</span>
                <button type="button" onClick={() => print()}>
                  Print
                </button>
                <ExportMenu
                  name="stars"
                  rows={() => entries.map(flatRow)}
                  lines={() => entries.map(({ row }) => row)}
                />
              </p>
            )}
          </header>
          {starFailure.value !== "" && (
            <p class="failed" role="alert">
              {starFailure.value}
            </p>
          )}
          {entries.length === 0 ? (
            <p>
              Nothing is starred yet.{" "}
              {info.bundled ? "To star places, use logratio view of the run." : <HowTo />}
            </p>
          ) : (
            entries.map((entry, at) => (
              <Entry key={entry.handle} entry={entry} info={info}>
                {info.bundled !== true && <Moves entries={entries} at={at} />}
              </Entry>
            ))
          )}
        </article>
      )}
    </WhenLoaded>
  );
}

function HowTo() {
  return (
    <>
      Press <kbd>s</kbd> on a token or a sequence, or ☆ beside its name; starred places are listed here with
      the text around them, what both policies would have said, and your notes.
    </>
  );
}

/** Moves an entry up or down in the story. The focus stays on the button, whose label contains the place. */
function Moves({ entries, at }: { readonly entries: readonly StoryEntry[]; readonly at: number }) {
  const { handle } = entries[at]!;
  const move = async (button: HTMLElement, before: StoryEntry | undefined): Promise<void> => {
    await changeStar({ handle, before: before?.handle ?? null });
    // Moving an element in the page takes the focus from it.
    requestAnimationFrame(() => button.focus());
  };
  return (
    <>
      {[
        { sign: "↑", said: "up", ends: at === 0, before: entries[at - 1] },
        { sign: "↓", said: "down", ends: at === entries.length - 1, before: entries[at + 2] },
      ].map(({ sign, said, ends, before }) => (
        <button
          key={said}
          type="button"
          class="quiet"
          aria-label={`Move ${handle} ${said}, ${at + 1} of ${entries.length}`}
          aria-disabled={ends}
          onClick={({ currentTarget }) => !ends && void move(currentTarget, before)}
        >
          {sign}
        </button>
      ))}
    </>
  );
}

function Entry({
  entry,
  info,
  children,
}: ViewProps & { readonly entry: StoryEntry; readonly children: ComponentChildren }) {
  const { handle, note, sequence, token, facts, prompt, strip, picture, alternatives } = entry;
  const href =
    sequence === null ? undefined : makeHref({ view: "sequence", sequence, token: token ?? undefined });
  return (
    <section class="story-entry" aria-label={handle}>
      <h2>
        {href === undefined ? handle : <a href={href}>{handle}</a>}
        <span>
          {children}
          {info.bundled !== true && (
            <button
              type="button"
              class="quiet"
              aria-label={`Remove the star of ${handle}`}
              onClick={() => {
                if (note === "" || confirm(`Remove the star of ${handle}, and its note?`))
                  void changeStar({ handle, note: null });
              }}
            >
              ✕
            </button>
          )}
        </span>
      </h2>
      <Note handle={handle} note={note} isFixed={info.bundled === true} />
      {sequence === null ? (
        <p class="failed">This run has no such place: it may have been read again from different files.</p>
      ) : (
        <>
          <dl class="facts">
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          {prompt !== null && (
            <p class="story-prompt">
              <b>Prompt</b> <bdi>{prompt}</bdi>
            </p>
          )}
          <p class="story-strip scaled">
            {strip.map(({ text, delta, kind, isShown }, at) => {
              const look =
                kind !== "own"
                  ? kind
                  : delta === null
                    ? "missing"
                    : shadeClass(delta, deltaScale(info.scales));
              const said = delta === null ? undefined : `Δ ${formatSigned(delta)}`;
              return isShown ? (
                <mark key={at} class={look} title={said}>
                  {text}
                </mark>
              ) : (
                <span key={at} class={look} title={said}>
                  {text}
                </span>
              );
            })}
          </p>
          <div class="story-two">
            {alternatives !== null && <Alternatives of={alternatives} />}
            {picture !== null && (
              <ScrollBox label={`|Δ| along ${handle}`}>
                <Svg markup={picture} />
              </ScrollBox>
            )}
          </div>
        </>
      )}
    </section>
  );
}

/** Saved when the field loses the focus. */
function Note({
  handle,
  note,
  isFixed,
}: Pick<StoryEntry, "handle" | "note"> & { readonly isFixed: boolean }) {
  if (isFixed) return note === "" ? null : <p class="story-note">{lines(note)}</p>;
  return (
    <>
      <textarea
        class="story-note"
        aria-label={`Note on ${handle}`}
        placeholder="What does this show?"
        rows={2}
        maxLength={4000}
        defaultValue={note}
        onChange={({ currentTarget }) => void changeStar({ handle, note: currentTarget.value })}
      />
      {/* On paper, a field would be cut off. */}
      <p class="story-note on-paper">{lines(note)}</p>
    </>
  );
}

function lines(note: string): string {
  return note.split("\n").map(printable).join("\n");
}

function Alternatives({ of }: { readonly of: NonNullable<StoryEntry["alternatives"]> }) {
  return (
    <table>
      <caption>What each policy would have said there</caption>
      <thead>
        <tr>
          <th scope="col" class="left">
            token
          </th>
          <th scope="col">rollout</th>
          <th scope="col">trainer</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ text, sampled, rollout, trainer }) => (
          <tr key={text} class={sampled ? "sampled" : undefined}>
            <th scope="row" class="left">
              <bdi>“{text}”</bdi>
              {sampled && " (sampled)"}
            </th>
            <td>{rollout}</td>
            <td>{trainer}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Table cells cannot hold lists. */
function flatRow({ row: { rollout_alternatives, trainer_alternatives, ...row } }: StoryEntry) {
  const say = (listed: readonly (readonly [string, number])[]): string => JSON.stringify(listed);
  return {
    ...row,
    rollout_alternatives: say(rollout_alternatives),
    trainer_alternatives: say(trainer_alternatives),
  };
}
