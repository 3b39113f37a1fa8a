/** Four things that can be begun with one click: to study, to solve, to play, and to review. */
import type { ComponentChildren } from "preact";
import { ROOMS } from "../app/rooms";
import { Cards } from "../shared/Cards";
import { FileField } from "../shared/FileField";
import { Icon } from "../shared/Icon";
import { type Home, OPENING, READY } from "./model";

type StartProps = { room: string; title: string; problem?: string; children: ComponentChildren };

function Start({ room, title, problem, children }: StartProps) {
  return (
    <section class={`start panel ${room}`} aria-labelledby={`start-${room}`}>
      <h2 id={`start-${room}`}>
        <Icon path={ROOMS[room].icon} />
        {title}
      </h2>
      {children}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

export function Starts({ home }: { home: Home }) {
  const { begun, problems } = home;
  const words = (name: string, usual: string) => (begun?.name === name ? begun.words : usual);
  const off = begun !== null;
  const [first, ...others] = READY;
  return (
    <div class="starts">
      <Start room="study" title="Explore a solution" problem={READY.map(({ name }) => problems[name]).find(Boolean)}>
        <p>
          What is best with every hand on <Cards text={first.board} />, in a raised pot: how often, and for how much.
        </p>
        <p class="row">
          <button type="button" class="main" disabled={off} onClick={() => home.open(first)}>
            {words(first.name, "Open the turn")}
          </button>
          {others.map((one) => (
            <button key={one.name} type="button" disabled={off} onClick={() => home.open(one)}>
              {words(one.name, one.name === "river" ? "River" : "Push or fold")}
            </button>
          ))}
        </p>
      </Start>
      <Start room="solve" title="Solve a flop">
        <p>
          Cutoff against big blind on <Cards text="Ks7h2d" /> with 20 big blinds is filled in. It takes a few seconds.
        </p>
        <p class="row">
          <a class="button" href="/solve?spot=example:raised-pot">
            Set up this flop
          </a>
        </p>
      </Start>
      <Start room="play" title="Play the bot" problem={problems.play}>
        <p>
          Heads-up no-limit hold’em, 200 big blinds, with hints, a review of every hand, and your result without luck.
        </p>
        <p class="row">
          <button type="button" disabled={off} onClick={() => home.deal()}>
            {words("play", "Deal a hand")}
          </button>
          <a href={`/study/${OPENING}`}>How it plays</a>
        </p>
      </Start>
      <Start room="reviews" title="Review your hands">
        {begun?.name === "review" ? (
          <p class="soft" role="status">
            {begun.words}
          </p>
        ) : (
          <FileField file={null} take={(file) => void home.review(file)} problem={problems.review ?? ""} />
        )}
      </Start>
    </div>
  );
}
