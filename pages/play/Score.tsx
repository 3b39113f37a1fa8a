/** What has been won, with and without luck. */
import type { Average, ScoreModel } from "../api/types";
import { chips } from "../shared/numbers";
import { signedChips } from "./words";

export function Score({ score }: { score: ScoreModel | null }) {
  if (!score?.chips.hands) return <p class="soft">No hand has been finished yet.</p>;
  const { chips: won, without_luck: without, measure, big_blind_chips: blind } = score;
  return (
    <dl class="score">
      <div>
        <dt>
          Won in {chips(won.hands)} {won.hands === 1 ? "hand" : "hands"}
        </dt>
        <dd>
          <b class="won">{signedChips(won.total_chips)}</b>
          <PerHand one={won} blind={blind} />
        </dd>
      </div>
      <div>
        <dt title={measure ?? undefined}>Without luck</dt>
        {!measure ? (
          <dd class="soft">not known: the opponent does not state its strategy</dd>
        ) : without ? (
          <dd>
            <b class="without">{signedChips(without.total_chips)}</b>
            <PerHand one={without} blind={blind} />
          </dd>
        ) : (
          <dd>
            <span class="soft">{score.to_measure} to be measured</span>
          </dd>
        )}
      </div>
    </dl>
  );
}

/** The mean of a hand and its interval. */
function PerHand({ one, blind }: { one: Average; blind: number | null }) {
  if (one.half_width_chips === null) return null;
  const [unit, scale] = blind ? ["mbb a hand", 1000 / blind] : ["chips a hand", 1];
  const text = (value: number) => (value * scale).toLocaleString("en", { maximumFractionDigits: blind ? 0 : 2 });
  return <div class="soft">{`${text(one.total_chips / one.hands)} ± ${text(one.half_width_chips)} ${unit}`}</div>;
}
