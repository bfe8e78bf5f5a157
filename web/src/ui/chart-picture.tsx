import { useLayoutEffect, useRef } from "preact/hooks";
import "./chart.css";
import { EnlargeButton, Enlarged, isEnlarged } from "./enlarged.tsx";
import { ExportMenu, type ExportProps } from "./export-menu.tsx";
import { parseSvg } from "./export-png.ts";
import { ScrollBox } from "./scroll-box.tsx";

interface ChartPictureProps extends ExportProps {
  readonly svg: () => string;
  /** The picture to save, if the one on the page contains links. */
  readonly exported?: () => string;
}

/** A picture of the HTML report, drawn by the same code. */
export function ChartPicture({ name, svg, exported = svg, rows }: ChartPictureProps) {
  return (
    <figure class="report-picture">
      <ScrollBox label={name}>
        <Svg markup={svg()} />
      </ScrollBox>
      <EnlargeButton name={name} />
      <ExportMenu name={name} svg={exported} rows={rows} />
      {isEnlarged(name) && (
        <Enlarged title={name} rows={rows}>
          <ScrollBox label={`${name}, enlarged`}>
            <Svg markup={svg()} />
          </ScrollBox>
        </Enlarged>
      )}
    </figure>
  );
}

/** SVG text as part of the page; no script in it runs. */
export function Svg({ markup }: { readonly markup: string }) {
  const parent = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    parent.current?.replaceChildren(document.importNode(parseSvg(markup), true));
  }, [markup]);
  return <div ref={parent} />;
}
