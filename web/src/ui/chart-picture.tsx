import { useEffect, useRef } from "preact/hooks";
import "./chart.css";
import { ExportMenu, type ExportProps } from "./export-menu.tsx";
import { parseSvg } from "./export-png.ts";

/** A picture of the HTML report, drawn by the same code. */
export function ChartPicture({ name, svg, rows }: ExportProps & { readonly svg: () => string }) {
  const parent = useRef<HTMLDivElement>(null);
  const markup = svg();
  useEffect(() => {
    parent.current?.replaceChildren(document.importNode(parseSvg(markup), true));
  }, [markup]);
  return (
    <figure class="report-picture">
      <div ref={parent} />
      <ExportMenu name={name} svg={svg} rows={rows} />
    </figure>
  );
}
