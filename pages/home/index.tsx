/** The home page: an opening range, what can be begun with one click, and what was worked on last. */
import type { RoomProps } from "../app/address";
import { useKeys } from "../app/keys";
import { useBegun } from "../shared/model";
import { useTitle } from "../shared/title";
import { Home, READY } from "./model";
import { Opening } from "./Opening";
import { RecentWork } from "./RecentWork";
import { Starts } from "./Starts";
import "./style.css";

export default function HomeRoom(_: RoomProps) {
  const home = useBegun(() => new Home());
  useTitle("Home");
  useKeys([
    { keys: ["o"], what: "open a solved turn", run: () => void home.open(READY[0]) },
    { keys: ["d"], what: "deal a hand against the blueprint", run: () => void home.deal() },
  ]);
  return (
    <div class="over">
      <div class="first">
        <h1>Solve, study and play poker</h1>
        <p class="soft lead">
          Everything is computed on this machine, and every solution says how far it is from perfect.
        </p>
        <Starts home={home} />
      </div>
      <Opening node={home.opening} problem={home.problems.opening ?? ""} />
      <RecentWork recent={home.recent} known={home.known} problem={home.problems.recent ?? ""} />
    </div>
  );
}
