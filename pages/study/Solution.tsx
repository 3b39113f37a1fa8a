/** A solution: the line above, the grid at the left; beside it how the hand stands, the actions and the tables. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import type { NodeView } from "../api/types";
import type { RoomProps } from "../app/address";
import { useKeys } from "../app/keys";
import { useAnswer } from "../shared/answers";
import { useModel } from "../shared/model";
import { useTitle } from "../shared/title";
import { Grid } from "./Grid";
import { labelOf } from "./hands";
import { keysOf } from "./keys";
import { Line, Root } from "./Line";
import { Modes } from "./Modes";
import { Study } from "./model";
import { Next } from "./Next";
import { Skeleton } from "./Skeleton";
import { Strip } from "./Strip";
import { Tabs } from "./Tabs";
import { Tools } from "./Tools";
import { TypedLine } from "./TypedLine";

export function Solution({ address }: RoomProps) {
  const [study] = useState(() => new Study(address));
  useModel(study);
  useLayoutEffect(() => study.moved(address), [study, address]);
  useEffect(() => () => study.leave(), [study]);
  useTitle(study.view?.title ?? "Study");
  const body = useRef<HTMLDivElement>(null);
  useKeys(keysOf(study, () => body.current));
  const { view } = study;
  const focused = document.activeElement;
  // An action whose button is gone leaves the focus nowhere; the next decision is where the user wants to go on.
  useLayoutEffect(() => {
    if (focused && focused !== document.body && !focused.isConnected) focusActions(body.current);
  }, [view]);
  // Drawing a node takes longer than all else, so it is drawn again only if something of the solution has changed.
  const { version } = study;
  const node = useMemo(() => view && <Node study={study} view={view} body={body} />, [study, view, version]);
  if (node) return node;
  if (study.problem && !study.busy) return <Missing problem={study.problem} />;
  return <Skeleton name={study.state.name} />;
}

function focusActions(body: HTMLElement | null): void {
  body?.querySelector<HTMLElement>(".actions button, .deck button, .line [aria-current=true]")?.focus();
}

function Missing({ problem }: { problem: string }) {
  return (
    <>
      <h1>Study</h1>
      <p class="problem" role="alert">
        {problem}
      </p>
      <p>
        <a href="/study">All solutions</a>
      </p>
    </>
  );
}

type NodeProps = { study: Study; view: NodeView; body: { current: HTMLDivElement | null } };

function Node({ study, view, body }: NodeProps) {
  const [summary] = study.summaries(view);
  const to = (line: string) => study.to(line);
  const locked = new Set(view.locked_hands.map((i) => labelOf(summary, view.hands[i])));
  const whose = `Hands of ${view.player_names[study.player]}`;
  // A filter needs the categories of the hands.
  const { name, only, whole } = study.state;
  useAnswer(study.answers, only && study.readingKey(view), () =>
    api("GET solutions/{name}/reading", { path: { name }, query: { line: view.line, whole } }),
  );
  return (
    <div ref={body} aria-busy={study.busy}>
      <div class="top">
        <h1>
          <a href="/study">Study</a> <span aria-hidden="true">/</span> {view.title}
        </h1>
        <Tools study={study} view={view} />
      </div>
      <div class="path">
        <Root view={view} to={to} />
        <Line view={view} to={to} soon={(line) => study.soon(line)} />
      </div>
      {study.typed && <TypedLine study={study} typed={study.typed} gone={() => focusActions(body.current)} />}
      {study.problem && !study.typed && (
        <p class="problem" role="alert">
          {study.problem}{" "}
          <button type="button" onClick={() => study.set({ line: view.line })}>
            Back
          </button>
        </p>
      )}
      <div class="body">
        <Strip study={study} view={view} locked={locked} />
        <section class="next" aria-label="Next">
          <Next study={study} view={view} />
        </section>
        <Modes study={study} view={view} />
        <section class="range" aria-label={whose}>
          <Grid
            view={study.inUnit(view)}
            summary={summary}
            by={study.state.by}
            chosen={labelOf(summary, study.state.hand)}
            title={whose}
            pick={(hand) => study.set({ hand })}
            locked={view.player === summary.player ? locked : undefined}
          />
        </section>
        <section class="side" aria-label="Tables">
          <Tabs study={study} view={view} />
        </section>
      </div>
    </div>
  );
}
