/** What can be done before a card is dealt, as far as the server has counted it. */
import type { TreeNodeView } from "../api/types";
import { chips } from "../shared/numbers";
import { longName } from "./names";
import type { Form } from "./spot";

type Props = {
  nodes: TreeNodeView[];
  /** The spot that is put together, which says what the players are called. */
  spot: Form | null;
};

/** What the server calls players without names. */
const SEATS = ["out of position", "in position"];

export function TreePreview({ nodes, spot }: Props) {
  if (!nodes.length) return <p class="soft">They stand here as soon as the spot can be read.</p>;
  return <Choices nodes={nodes} spot={spot} at={0} depth={0} />;
}

/** What is chosen from at a node. */
function Choices({ nodes, spot, at, depth }: Props & { at: number; depth: number }) {
  const { player_name: said, pot_chips: pot } = nodes[at];
  const name = spot && SEATS.includes(said) ? longName(spot, SEATS.indexOf(said)) : said;
  const after = nodes.flatMap((node, i) => (node.parent === at ? [i] : []));
  return (
    <>
      <p class="acts">
        <b>{name}</b> <span class="soft">acts, pot {chips(pot)}</span>
      </p>
      <ul class="tree">
        {after.map((i) => (
          <li key={i}>
            {nodes.some((node) => node.parent === i) ? (
              <details open={depth < 1}>
                <summary>{words(nodes[i])}</summary>
                <Choices nodes={nodes} spot={spot} at={i} depth={depth + 1} />
              </details>
            ) : (
              <span class="end">
                {words(nodes[i])} <span class="soft">{ENDS[nodes[i].kind](chips(nodes[i].pot_chips))}</span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const ENDS: Record<TreeNodeView["kind"], (pot: string) => string> = {
  decision: () => "…",
  fold: () => "",
  showdown: (pot) => `showdown, pot ${pot}`,
  chance: (pot) => `next street, pot ${pot}`,
  leaf: (pot) => `street over, pot ${pot}`,
};

/** An action with its share of the pot. */
function words({ action, all_in, pot_percent: percent }: TreeNodeView): string {
  const share = percent === null ? "" : ` (${Math.round(percent)} %${all_in ? ", all-in" : ""})`;
  return action + share;
}
