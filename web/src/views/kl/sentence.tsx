import { printable } from "../../../../src/render/text/index.ts";
import { makeHref } from "../../state/url.ts";
import { toPart } from "./choices.ts";

/** `q12` or `q12.t40`: a text of the study, or a token of it. */
const HANDLE = /\b(q\d+(?:\.t\d+)?)\b/;

function PlaceLink({ handle }: { readonly handle: string }) {
  const [text, token] = handle.slice(1).split(".t");
  return <a href={makeHref({ params: { ...toPart("text", Number(text)), token } })}>{handle}</a>;
}

/** A sentence of the report; texts and tokens that it names are links. */
export function Sentence({ text }: { readonly text: string }) {
  return (
    <bdi>
      {text
        .split(HANDLE)
        .map((part, at) => (at % 2 === 1 ? <PlaceLink key={at} handle={part} /> : printable(part)))}
    </bdi>
  );
}
