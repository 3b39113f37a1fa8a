/** How the blueprint opens: a small grid of hands, which leads to Study. */
import type { NodeView } from "../api/types";
import { paint } from "../shared/colours";
import { percent } from "../shared/numbers";
import { colours, fill, scaleOf } from "../study/colours";
import { summarise } from "../study/hands";
import { OPENING } from "./model";

const CELLS = 169;

export function Opening({ node, problem }: { node: NodeView | null; problem: string }) {
  if (problem) return <p class="problem">{problem}</p>;
  const shown = node?.actions.filter(({ frequency }) => (frequency ?? 0) > 0.0005).reverse() ?? [];
  return (
    <a class="opening panel" href={`/study/${OPENING}`} aria-busy={!node} aria-labelledby="opening-title">
      <h2 id="opening-title">How the button opens, in Study</h2>
      <p class="soft">{node?.title ?? "Reading the blueprint …"}</p>
      <Cells node={node} />
      <p class="legend">
        {shown.map(({ label, frequency, colour }) => (
          <span key={label}>
            <i style={{ background: paint(colour) }} />
            {label} <b>{percent(frequency, 0)}</b>
          </span>
        ))}
        {!node && <span>&nbsp;</span>}
      </p>
    </a>
  );
}

/** The cells of the grid; empty ones until they are known. */
function Cells({ node }: { node: NodeView | null }) {
  if (!node) {
    return (
      <div class="hands" style={{ "--columns": 13 }} aria-hidden="true">
        {Array.from({ length: CELLS }, (_, i) => (
          <span key={i} class="cell" />
        ))}
      </div>
    );
  }
  const summary = summarise(node, node.player ?? 0);
  const paints = colours(node, summary);
  const scale = scaleOf("strategy", summary.items);
  return (
    <div class="hands" style={{ "--columns": summary.columns }} aria-hidden="true">
      {summary.items.map((item) => (
        <span key={item.label} class="cell">
          <span class="label">{item.label}</span>
          <span class="fill" style={fill(item, "strategy", paints, summary.full, scale)} />
        </span>
      ))}
    </div>
  );
}
