import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PageBlock, PageDocument, PageSection } from "../../../src/render/page/index.ts";
import type { FirstLook } from "../../../src/results/page.ts";
import { CopyButton } from "./copy-button.tsx";
import "./document-view.css";
import { makeHref } from "../state/url.ts";
import { Explained } from "./explained.tsx";
import { OverSteps } from "./over-steps.tsx";
import { HandleLink, LinkedText, MoveLink } from "./place-link.tsx";
import { Context, ReportPictures, ReportTable } from "./report-table.tsx";

/** Draws a sentence with links to the places that it names. */
type Say = (props: { readonly text: string }) => ComponentChildren;

/** A result with the content of terminals, Markdown and HTML, and with links, exports and copy buttons. */
export function DocumentView({
  of: { input, verdict, lead, aside, sections, footer = "" },
  say: Say = LinkedText,
}: {
  readonly of: PageDocument;
  readonly say?: Say;
}) {
  return (
    <div class="document">
      <h2 class="visually-hidden">In short</h2>
      {input.length > 0 && <p class="muted">{input.join(" · ")}</p>}
      {verdict !== null && <Verdict of={verdict} say={Say} />}
      <Blocks of={[...lead, ...aside]} say={Say} />
      <Sections of={sections} say={Say} />
      {footer !== "" && <p class="muted">{footer}</p>}
    </div>
  );
}

/** Sections in order, those of one part together; folded ones are drawn when unfolded. */
export function Sections({
  of,
  say = LinkedText,
}: {
  readonly of: readonly PageSection[];
  readonly say?: Say;
}) {
  const parts = new Map<string, PageSection[]>();
  for (const section of of) {
    const name = section.part ?? section.id;
    parts.set(name, [...(parts.get(name) ?? []), section]);
  }
  return (
    <>
      {[...parts].map(([name, sections]) => {
        const [{ title, part = title, isFolded } = sections[0]!] = sections;
        const draw = () =>
          sections.map(({ id, title: own, blocks }) => (
            <section key={id} data-id={id} aria-label={own || undefined}>
              {own !== part && !isTitled(blocks, own) && <h3>{own}</h3>}
              <Blocks of={blocks} say={say} />
            </section>
          ));
        return isFolded ? (
          <Fold key={name} title={part}>
            {draw}
          </Fold>
        ) : (
          <div key={name} class="part">
            {!isTitled(sections[0]!.blocks, part) && <h2>{part}</h2>}
            <div class={sections.length > 1 ? "parts" : undefined}>{draw()}</div>
          </div>
        );
      })}
    </>
  );
}

/** A section needs no heading if it begins with a table of the same title. */
function isTitled(blocks: readonly PageBlock[], title: string): boolean {
  const [first] = blocks.filter(({ kind }) => kind !== "picture");
  return title === "" || (first?.kind === "table" && first.table.title === title);
}

function Fold({ title, children }: { readonly title: string; readonly children: () => ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children()}
    </details>
  );
}

type Of<Kind extends PageBlock["kind"]> = Extract<PageBlock, { kind: Kind }>;
type Entry = Of<"entries">["entries"][number];

const isFigure = (block: PageBlock): block is Of<"picture"> | Of<"table"> =>
  block.kind === "picture" || (block.kind === "table" && !block.isFolded);

/** Blocks in order; consecutive pictures and tables stand side by side. */
export function Blocks({ of, say = LinkedText }: { readonly of: readonly PageBlock[]; readonly say?: Say }) {
  const groups: PageBlock[][] = [];
  for (const block of of) {
    const last = groups.at(-1);
    if (last !== undefined && isFigure(block) && isFigure(last[0]!)) last.push(block);
    else groups.push([block]);
  }
  return (
    <>
      {groups.map((group, at) =>
        isFigure(group[0]!) ? (
          <div class="figures" key={at}>
            {group
              .filter(isFigure)
              .map((block) =>
                block.kind === "picture" ? (
                  <ReportPictures key={block.picture.id} of={[block.picture]} />
                ) : (
                  <ReportTable key={block.table.id} table={block.table} legend={block.legend} />
                ),
              )}
          </div>
        ) : (
          <Block key={at} of={group[0]!} say={say} />
        ),
      )}
    </>
  );
}

function Block({ of: block, say: Say }: { readonly of: PageBlock; readonly say: Say }) {
  switch (block.kind) {
    case "text":
      return (
        <p class={block.muted ? "muted" : undefined}>
          <Say text={block.text} />
        </p>
      );
    case "list":
      return (
        <>
          {block.title !== undefined && <h3>{block.title}</h3>}
          <Items of={block.items} muted={block.muted} say={Say} />
        </>
      );
    case "facts":
      return <Facts of={block.rows} say={Say} />;
    case "entries":
      return block.entries.length === 0 ? (
        <p class="muted">{block.none}</p>
      ) : (
        <ul class="entries">
          {block.entries.map((entry) => (
            <li key={entry.text}>
              <EntryText of={entry} say={Say} />
            </li>
          ))}
        </ul>
      );
    case "table":
      return (
        <Fold title={block.table.title}>
          {() => <ReportTable table={block.table} legend={block.legend} />}
        </Fold>
      );
    case "places":
      return <Places title={block.title} of={block.places} />;
    case "charts":
      return <OverSteps charts={block.charts} />;
    case "code":
      return (
        <>
          {block.title !== undefined && (
            <h3>
              {block.title} {block.place}
            </h3>
          )}
          <Lines text={block.text} />
          <Items of={block.traps ?? []} say={Say} />
        </>
      );
    case "command":
      return block.handle === undefined ? (
        <>
          <h3>{block.label}</h3>
          <Lines text={block.command} />
          {block.why !== undefined && <p class="muted">{block.why}</p>}
        </>
      ) : (
        <p class="look">
          Look at <HandleLink handle={block.handle} />
        </p>
      );
    default:
      return null;
  }
}

export function Verdict({
  of: { level, word, text, items = [] },
  say: Say = LinkedText,
}: {
  readonly of: Entry;
  readonly say?: Say;
}) {
  return (
    <>
      <p class="says">
        <span class={`level ${level}`}>{word}</span> <Say text={text} />
      </p>
      <Items of={items} say={Say} />
    </>
  );
}

function EntryText({
  of: { level, word, text, isHeading, body, items = [], details = [], link },
  say: Say,
}: {
  readonly of: Entry;
  readonly say: Say;
}) {
  const badge = <span class={`level ${level}`}>{word}</span>;
  return (
    <>
      {isHeading ? (
        <h3>
          {badge} {text}
        </h3>
      ) : (
        <p>
          {badge} <Say text={text} />
        </p>
      )}
      {body !== undefined && (
        <p>
          <Say text={body} />
        </p>
      )}
      <Items of={items} say={Say} />
      <Facts of={details} say={Say} />
      {link && (
        <p>
          <a href={makeHref(link.move)}>{link.text}</a>
        </p>
      )}
    </>
  );
}

function Items({
  of,
  muted,
  say: Say,
}: {
  readonly of: readonly string[];
  readonly muted?: boolean | undefined;
  readonly say: Say;
}) {
  if (of.length === 0) return null;
  return (
    <ul class={muted ? "muted" : undefined}>
      {of.map((item) => (
        <li key={item}>
          <Say text={item} />
        </li>
      ))}
    </ul>
  );
}

function Facts({
  of,
  say: Say,
}: {
  readonly of: readonly (readonly [label: string, text: string])[];
  readonly say: Say;
}) {
  if (of.length === 0) return null;
  return (
    <dl>
      {of.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Say text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The worst turn, token and sequence: where to look first. */
function Places({ title, of }: { readonly title: string; readonly of: readonly FirstLook[] }) {
  return (
    <ul class="first-looks" aria-label={title}>
      {of.map(({ label, place, move, text, context }) => (
        <li key={label}>
          <b>{label}</b> {move ? <MoveLink move={move} text={place} /> : <HandleLink handle={place} />}
          <br />
          <Explained text={text} />
          {context && <Context of={context} />}
        </li>
      ))}
    </ul>
  );
}

/** Lines to paste. */
function Lines({ text }: { readonly text: string }) {
  return (
    <div class="lines">
      <pre>{text}</pre>
      <CopyButton label="Copy" text={() => text} />
    </div>
  );
}
