import type { PageBlock, PageDocument, PageSection } from "../../../../src/render/page/index.ts";
import { PARTS } from "../../../../src/render/report/index.ts";
import type { StepRange } from "../../state/step-range.ts";
import { makeHref } from "../../state/url.ts";
import { Sections } from "../../ui/document-view.tsx";
import { rowsWhere } from "../../ui/report-table.tsx";

/** The worst places, the distribution of Δ, where the mismatch is; then everything else, folded. */
export function Places({
  page: { sections },
  within,
}: {
  readonly page: PageDocument;
  /** If the tables cover the whole run, only rows of these steps are shown. */
  readonly within: StepRange | null;
}) {
  const worst = sections.filter(({ part }) => part === PARTS.worst);
  return (
    <>
      <section class="worst" aria-label={PARTS.worst}>
        <Sections of={within === null ? worst : worst.map((section) => narrow(section, within))} />
        <p class="note">
          <a href={makeHref({ view: "tokens", token: undefined })}>all tokens, by class, position and turn</a>
        </p>
      </section>
      <div class="spread">
        <Sections of={sections.filter(({ id }) => id === "spread")} />
      </div>
      <section class="where" aria-label={PARTS.where}>
        <Sections of={sections.filter(({ part }) => part === PARTS.where)} />
      </section>
      <section class="everything" aria-label="All figures">
        <h2>All figures</h2>
        <Sections of={sections.filter(({ isFolded }) => isFolded)} />
      </section>
    </>
  );
}

function narrow(section: PageSection, within: StepRange): PageSection {
  return { ...section, blocks: section.blocks.map((block) => narrowBlock(block, within)) };
}

function narrowBlock(block: PageBlock, [from, to]: StepRange): PageBlock {
  if (block.kind !== "table") return block;
  const table = rowsWhere(block.table, ({ step }) => typeof step === "number" && step >= from && step <= to);
  if (table.rows > 0) return { ...block, table };
  const title = table.title.toLowerCase();
  return { kind: "text", muted: true, text: `None of the ${title} of the run is in these steps.` };
}
