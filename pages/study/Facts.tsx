/** How the hand stands, what the certificate says, and what is locked. */
import type { NodeView } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import { tenths } from "../shared/numbers";
import type { Study } from "./model";
import { reachedText } from "./texts";

const CHIPS = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

type Props = { study: Study; view: NodeView };

export function Facts({ study, view }: Props) {
  const why = view.why_no_ev || view.why_no_equity;
  return (
    <div class="facts">
      <p role="status">{factsOf(view)}</p>
      <Proof study={study} view={view} />
      {why && (
        <p class="soft">
          {why}{" "}
          {view.reads_more && (
            <button type="button" onClick={() => study.set({ whole: true })}>
              Read the whole file
            </button>
          )}
        </p>
      )}
      <Locked locked={view.locked} />
    </div>
  );
}

/** How the hand stands, in a line. */
function factsOf(view: NodeView): string {
  // Null in games without a limit on stacks.
  const [first, second] = view.stacks_chips.map((stack) => (stack === null ? null : CHIPS.format(stack)));
  const facts = [
    view.player !== null && `${view.player_name} to act`,
    `pot ${CHIPS.format(view.pot_chips)}`,
    view.to_call_chips !== 0 && `to call ${CHIPS.format(view.to_call_chips)}`,
    first !== null && `behind ${first === second ? first : `${first} / ${second}`}`,
    view.reached < 1 && `reached ${reachedText(view.reached)}`,
    view.unconverged !== null && view.columns.length > 0 && `still to gain ${tenths(view.unconverged, 2)} % of the pot`,
  ];
  return facts.filter(Boolean).join(" · ");
}

/** What the certificate says. */
function saidBy({ pot_percent: percent, cut, status, text }: NodeView["certificate"]): string {
  if (percent === null) return text;
  const how = status === "running" ? "not certified yet" : "certified";
  return `exploitability ${cut ? "of the cut game " : ""}${Number(percent.toPrecision(2))} % of the pot, ${how}`;
}

/** What the certificate says, and whether it holds. */
function Proof({ study, view }: Props) {
  const { certificate: proof } = view;
  const { verifying, verified } = study.local;
  return (
    <p>
      {saidBy(proof)}{" "}
      {proof.status !== "trained" && (
        <button type="button" class="quiet" title={proof.text} disabled={verifying} onClick={() => study.verify()}>
          {verifying ? "Verifying …" : "Verify"}
        </button>
      )}{" "}
      {verified && (
        <span class={verified.certified ? "good" : verified.certified === null ? "" : "problem"} role="status">
          {verified.text}
          {verified.certified === null && <CopyButton text={verified.command} />}
        </span>
      )}
    </p>
  );
}

/** What is locked at a node. */
function Locked({ locked }: { locked: NodeView["locked"] }) {
  const said = Object.entries(locked).map(([hands, plays]) => {
    const how =
      typeof plays === "string"
        ? "the best answer"
        : Object.entries(plays)
            .map(([action, p]) => `${action} ${tenths(p)} %`)
            .join(", ");
    return `${hands === "*" ? "every hand" : hands}: ${how}`;
  });
  return said.length ? <p>Locked here: {said.join("; ")}</p> : null;
}
