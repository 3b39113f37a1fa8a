/** The room Drills: rounds of questions over a solution, a blueprint or the mistakes of a review. */
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/client";
import { go, type RoomProps } from "../app/address";
import { useKeys } from "../app/keys";
import { Jobs } from "../shared/jobs";
import { useBegun, useModel } from "../shared/model";
import { say } from "../shared/Said";
import { useTitle } from "../shared/title";
import { Due } from "./Due";
import { NewRound } from "./NewRound";
import { OneRound } from "./OneRound";
import { RoundList } from "./RoundList";
import { Rounds } from "./rounds";
import "./style.css";

export default function DrillsRoom({ address: { name, query } }: RoomProps) {
  const [reviews] = useState(() => new Jobs((job) => job.kind === "review"));
  useModel(reviews);
  useEffect(() => {
    reviews.read().catch((error) => say(messageOf(error)));
    return reviews.begin();
  }, [reviews]);
  if (name) return <OneRound key={name} id={name} />;
  const done = reviews.known ? reviews.newest.filter((job) => ["done", "stopped"].includes(job.state)) : null;
  return <Start key={String(query)} query={query} reviews={done} />;
}

function Start({ query, reviews }: Parameters<typeof NewRound>[0]) {
  useTitle("Drills");
  const rounds = useBegun(() => new Rounds());
  useKeys([
    {
      keys: ["n"],
      what: "go to the form for a new round",
      run: () => document.getElementById("drill-of")?.focus(),
    },
  ]);
  return (
    <>
      <h1>Drills</h1>
      <p class="soft lead">
        Decisions as they come up in play: you choose what to do, and are told at once what that loses against the
        solution.
      </p>
      <div class="formlist">
        <div>
          <Due due={rounds.due} />
          <NewRound query={query} reviews={reviews} made={(id) => go(`/drills/${id}`)} />
        </div>
        <RoundList rounds={rounds} />
      </div>
    </>
  );
}
