import { changeStar, findStar, starFailure, starred } from "../state/stars.ts";
import { makeHref } from "../state/url.ts";

/** Stars a sequence or a token. A star with a note is a link to the note, so that no click deletes it. */
export function StarButton({ handle, isFixed }: { readonly handle: string; readonly isFixed: boolean }) {
  const star = findStar(handle);
  if (isFixed || (star !== undefined && star.note !== ""))
    return star === undefined ? null : (
      <a
        class="star"
        href={makeHref({ view: "story", token: undefined })}
        title={star.note || "in the story"}
      >
        ★<span class="visually-hidden"> {handle} is starred: see the story</span>
      </a>
    );
  return (
    <>
      <button
        type="button"
        class="star"
        aria-pressed={star !== undefined}
        aria-label={`Star ${handle}`}
        title={star === undefined ? "star it for the story (s)" : "in the story; click to take it out"}
        onClick={() => toggleStar(handle)}
      >
        {star === undefined ? "☆" : "★"}
      </button>
      {starFailure.value !== "" && (
        <span role="alert" class="star-failure">
          {starFailure.value}
        </span>
      )}
    </>
  );
}

/** The mark next to starred places. */
export const STAR = (
  <span class="star-mark" role="img" aria-label="starred" title="in the story">
    {" "}
    ★
  </span>
);

/** In lists: marks a place in the story, and a sequence with a token in it. */
export function StarMark({ handle }: { readonly handle: string }) {
  return starred.value.has(handle) && STAR;
}

/** Never removes a star that has a note. */
export function toggleStar(handle: string): void {
  const star = findStar(handle);
  if (star === undefined) void changeStar({ handle, note: "" });
  else if (star.note === "") void changeStar({ handle, note: null });
}
