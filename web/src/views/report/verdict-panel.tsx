import type { PageDocument } from "../../../../src/render/page/index.ts";
import { Blocks, Sections, Verdict } from "../../ui/document-view.tsx";
import { WholeRunTag } from "../../ui/steps-chip.tsx";

/** The verdict, where to look first, the key figures, and what to do next. */
export function VerdictPanel({ page: { verdict, aside, sections } }: { readonly page: PageDocument }) {
  const pick = (wanted: string) => sections.filter(({ id }) => id === wanted);
  return (
    <section class="verdict document" aria-label="Verdict">
      <h2 class="visually-hidden">Verdict</h2>
      {verdict !== null && <Verdict of={verdict} />}
      <p>
        <WholeRunTag />
      </p>
      <WholeRunTag />
      <Blocks of={pick("first").flatMap(({ blocks }) => blocks)} />
      <div class="two">
        <div>
          <WholeRunTag />
          <Sections of={pick("key-figures")} />
        </div>
        <div>
          <WholeRunTag />
          <Blocks of={aside} />
        </div>
      </div>
    </section>
  );
}
