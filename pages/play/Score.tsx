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
          <b class="won">{signedChips(won.total_chips)}</b> chips
          <PerHand one={won} blind={blind} />
        </dd>
      </div>
      <div>
        <dt title={measure ?? undefined}>Without luck</dt>
        {!measure ? (
          <dd class="soft">not known: the opponent does not state its strategy</dd>
        ) : without ? (
          <dd>
            <b class="without">{signedChips(without.total_chips)}</b> chips
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

/** The mean and its interval: in big blinds a hundred hands, or in chips a hand where there are no blinds. */
function PerHand({ one, blind }: { one: Average; blind: number | null }) {
  const [unit, scale] = blind ? ["bb/100", 100 / blind] : ["chips a hand", 1];
  const mean = (one.total_chips / one.hands) * scale;
  const within = one.half_width_chips === null ? "" : ` ± ${chips(one.half_width_chips * scale)}`;
  return <div class="soft">{`${signedChips(mean)}${within} ${unit}`}</div>;
}
