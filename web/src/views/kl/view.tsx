import { formatCount } from "../../../../src/render/text/display/index.ts";
import { studyTables, studyTexts } from "../../state/loaded.ts";
import { makeHref, route } from "../../state/url.ts";
import { DocumentView } from "../../ui/document-view.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { StudyViewProps } from "../../view-props.ts";
import { type Choices, readChoices, toPart } from "./choices.ts";
import { Sentence } from "./sentence.tsx";
import "../../ui/heat-levels.css";
import "./style.css";
import { TextPart } from "./text/text-part.tsx";
import { TextList } from "./texts/text-list.tsx";

/** A study of checkpoints under teacher forcing: the whole study, its list of texts, or one text. */
export function CheckpointsView({ info }: StudyViewProps) {
  const choices = readChoices(route.value.params, info.checkpoints);
  return (
    <div class="checkpoints-view">
      <h1 class="visually-hidden">Checkpoints</h1>
      <Parts choices={choices} texts={info.texts} />
      {choices.part === "study" && (
        <WhenLoaded of={studyTables()}>{(page) => <DocumentView of={page} say={Sentence} />}</WhenLoaded>
      )}
      {choices.part === "texts" && (
        <WhenLoaded of={studyTexts()}>{(list) => <TextList list={list} choices={choices} />}</WhenLoaded>
      )}
      {choices.part === "text" && (
        <WhenLoaded of={studyTexts()}>
          {(list) => <TextPart info={info} list={list} choices={choices} />}
        </WhenLoaded>
      )}
    </div>
  );
}

function Parts({ choices: { part, text }, texts }: { readonly choices: Choices; readonly texts: number }) {
  return (
    <nav class="pills" aria-label="Parts of the study">
      <a href={makeHref({ params: toPart("study") })} aria-current={part === "study" ? "page" : undefined}>
        The study
      </a>
      <a href={makeHref({ params: toPart("texts") })} aria-current={part === "texts" ? "page" : undefined}>
        Texts <small>{formatCount(texts)}</small>
      </a>
      {part === "text" && (
        <a href={makeHref({})} aria-current="page">
          Text q{text}
        </a>
      )}
    </nav>
  );
}
