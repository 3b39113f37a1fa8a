/** How the hand stands: chips, what both ranges are worth, the certificate, and why something is not known. */
import type { ComponentChildren } from "preact";
import type { NodeView, SolutionView } from "../api/types";
import { useAnswer } from "../shared/answers";
import { CopyButton } from "../shared/CopyButton";
import { type Maybe, tenths, worth } from "../shared/numbers";
import type { Study } from "./model";
import { hundredths, reachedText, weightText } from "./texts";

const CHIPS = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

type Props = { study: Study; view: NodeView };

export function Strip({ study, view, locked }: Props & { locked: Set<string> }) {
  const why = view.why_no_ev || view.why_no_equity;
  const note = study.notes.at(view.line);
  return (
    <section class="facts" aria-label="The node">
      <dl>
        {factsOf(view).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Players study={study} view={view} />
      <Proof study={study} view={view} />
      {why && <Unknown study={study} view={view} why={why} />}
      {view.locked_hands.length > 0 && (
        <p class="soft">Locked here: {"*" in view.locked ? "every hand" : [...locked].join(", ")}</p>
      )}
      {note && study.state.tab !== "notes" && <blockquote>{note}</blockquote>}
    </section>
  );
}

/** How the hand stands, as names and texts. */
function factsOf(view: NodeView): [string, ComponentChildren][] {
  // Null in games without a limit on stacks.
  const stacks = view.stacks_chips.map((stack) => (stack === null ? null : CHIPS.format(stack)));
  const blind = view.big_blind_chips;
  const more = blind ? <span class="soft"> {CHIPS.format(view.pot_chips / blind)} bb</span> : "";
  const facts: [string, ComponentChildren][] = [
    [
      "Pot",
      <>
        {CHIPS.format(view.pot_chips)}
        {more}
      </>,
    ],
  ];
  if (view.to_call_chips !== 0) facts.push(["To call", CHIPS.format(view.to_call_chips)]);
  if (stacks[0] !== null) facts.push(["Stacks", stacks[0] === stacks[1] ? stacks[0] : stacks.join(" / ")]);
  if (view.reached < 1) facts.push(["Line taken", reachedText(view.reached)]);
  if (view.unconverged !== null && view.columns.length > 0)
    facts.push(["Exploitability here", `${tenths(view.unconverged, 2)} % of pot`]);
  return facts;
}

const inPercent = (share: Maybe, places: number): string =>
  hundredths(share, places) + (share === null || share === undefined ? "" : " %");

/** Both players: EV, equity, EQR and combos of their ranges. */
function Players({ study, view }: Props) {
  const shown = study.inUnit(view);
  const { ev_chips, equity, equity_realised } = shown.ranges;
  return (
    <table>
      <caption class="unseen">Both ranges</caption>
      <thead>
        <tr>
          {["player", "EV", "equity", "EQR", "combos"].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {view.player_names.map((name, p) => (
          <tr key={name}>
            <th scope="row">
              {name}
              {view.player === p && <span class="acts">to act</span>}
            </th>
            <td>{worth(ev_chips[p], shown.pot_chips)}</td>
            <td>{inPercent(equity[p], 1)}</td>
            <td>{inPercent(equity_realised[p], 0)}</td>
            <td>{weightText(view.weights[p].reduce((sum: number, weight) => sum + (weight ?? 0), 0))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the certificate says. */
function saidBy({ pot_percent: percent, cut, status, text }: NodeView["certificate"]): string {
  if (percent === null) return text;
  const how = status === "running" ? "not certified yet" : "certified";
  const of = cut ? " with the later streets replaced by a network:" : "";
  return `Exploitability${of} ${Number(percent.toPrecision(2))} % of the pot, ${how}`;
}

/** What the certificate says, and whether it holds. */
function Proof({ study, view }: Props) {
  const { certificate: proof } = view;
  const { verifying, verified } = study.local;
  const { found } = useAnswer<SolutionView>(study.answers, "described", () => study.described());
  const certified = verified?.certified ?? found?.certified ?? null;
  return (
    <p class="proof">
      <span title={proof.text}>{saidBy(proof)}</span> {certified && <span class="good">and verified</span>}{" "}
      {proof.status !== "trained" && (
        <button type="button" class="quiet" disabled={verifying} onClick={() => study.verify()}>
          {verifying ? "Verifying …" : certified ? "Verify again" : "Verify"}
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

/** Why EVs or equities are not known, and that they are on their way. */
function Unknown({ study, view, why }: Props & { why: string }) {
  const { reading, unread } = study.local;
  if (reading) {
    return (
      <p class="soft" role="status">
        The whole file is being read; EVs come in a moment …
      </p>
    );
  }
  return (
    <p class="soft">
      {unread || why}{" "}
      {view.reads_more && (
        <button type="button" onClick={() => study.set({ whole: true })}>
          Read the whole file
        </button>
      )}
    </p>
  );
}
