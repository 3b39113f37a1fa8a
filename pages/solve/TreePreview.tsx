/** What can be done before a card is dealt, as far as the server has counted it. */
import type { TreeNodeView } from "../api/types";
import { chips } from "../shared/numbers";

type Props = { nodes: TreeNodeView[] };

export function TreePreview({ nodes }: Props) {
  if (!nodes.length) return <p class="soft">The tree stands here as soon as the spot can be read.</p>;
  return <Choices nodes={nodes} at={0} depth={0} />;
}

/** What is chosen from at a node. */
function Choices({ nodes, at, depth }: Props & { at: number; depth: number }) {
  const { player_name: name, pot_chips: pot } = nodes[at];
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
                <Choices nodes={nodes} at={i} depth={depth + 1} />
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
