/** Attributes; undefined ones are left out, and numbers are written with at most two decimals, enough for pixels. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Text safe inside SVG and HTML elements and quoted attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** One element; children are markup already. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => ` ${key}="${typeof value === "number" ? pixel(value) : escapeMarkup(String(value))}"`,
    )
    .join("");
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join("")}</${name}>`;
}

/** A text element; the text is escaped here. */
export function textElement(text: string, attributes: Attributes): string {
  return element("text", attributes, escapeMarkup(text));
}

/** The tooltip of a shape. */
export function tooltip(text: string): string {
  return element("title", {}, escapeMarkup(text));
}

/** A coordinate with at most two decimals; a value that is not finite becomes 0 rather than breaking the picture. */
export function pixel(value: number): string {
  return Number.isFinite(value) ? String(Math.round(value * 100) / 100) : "0";
}
