/**
 * The page's only script: theme, copying, sorting. The page is complete without it. Its hash is part of the page's
 * security policy (`policy.ts`). Plain text, since it runs in the reader's browser and nowhere else.
 */
export const SCRIPT = `
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { theme.textContent = isDark() ? "light colors" : "dark colors"; };
  theme.hidden = false;
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
  name();

  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "copied";
        setTimeout(() => { button.textContent = "copy"; }, 1500);
      } catch {
        getSelection().selectAllChildren(source);
      }
    });
  }

  const units = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
  const read = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = Number.parseFloat(text.replace(/^</, "").replaceAll(",", "").replaceAll("−", "-").replace("∞", "Infinity"));
    return { text, number: number * (units[text.match(/ ([kMGTP])B$/)?.[1]] ?? 1) };
  };
  const compare = (a, b, sign) => {
    const [noA, noB] = [Number.isNaN(a.number), Number.isNaN(b.number)];
    if (noA !== noB) return noA ? 1 : -1;
    if (!noA && a.number !== b.number) return sign * (a.number < b.number ? -1 : 1);
    return sign * a.text.localeCompare(b.text, "en", { numeric: true });
  };
  for (const table of document.querySelectorAll("table[data-sort]")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") !== "descending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].map((row) => ({ row, value: read(row, column) }));
        rows.sort((a, b) => compare(a.value, b.value, descending ? -1 : 1));
        table.tBodies[0].append(...rows.map(({ row }) => row));
      });
    });
  }
})();
`;
