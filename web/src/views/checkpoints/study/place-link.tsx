import type { ComponentChildren } from "preact";
import { printable } from "../../../../../src/report/printable.ts";
import { hrefOf } from "../../../state/url.ts";
import { toPart } from "../settings.ts";
import { placeOf, sentenceParts } from "./report-rows.ts";

/** Something of the report that leads to its text, or to its token. */
export function PlaceLink({
  handle,
  children,
}: {
  readonly handle: string;
  readonly children: ComponentChildren;
}) {
  const place = placeOf(handle);
  if (place === undefined) return <>{children}</>;
  const { text, token } = place;
  const params = { ...toPart("text", text), token: token === undefined ? undefined : String(token) };
  return <a href={hrefOf({ params })}>{children}</a>;
}

/** A sentence of the report; texts and tokens that it names are links. */
export function Sentence({ text }: { readonly text: string }) {
  return (
    <bdi>
      {sentenceParts(text).map(({ text: part, handle }, at) =>
        handle ? (
          <PlaceLink key={at} handle={part}>
            {part}
          </PlaceLink>
        ) : (
          printable(part)
        ),
      )}
    </bdi>
  );
}
