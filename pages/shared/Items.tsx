/** What has been made in a room, as a list of cards, each of which opens it. */
import type { ComponentChildren } from "preact";
import type { JobView } from "../api/types";
import { JobState } from "./JobButtons";
import { hasEnded } from "./jobs";
import { Part } from "./Part";
import "./form.css";

type Props = {
  title: string;
  /** Where it is opened; empty if it cannot be. */
  href: string;
  /** The job that makes it. */
  job?: JobView | null;
  /** What it comes to, in a few characters. */
  figure?: string;
  problem?: string;
  /** How far it is. */
  progress?: { done: number; wanted: number };
  children?: ComponentChildren;
};

export function Item({ title, href, job = null, figure = "", problem = "", progress, children }: Props) {
  const open = job !== null && !hasEnded(job);
  return (
    <li>
      <Part name={title}>
        {href ? <a href={href}>{title}</a> : <strong>{title}</strong>}
        {/* That something is done is said by its figures. */}
        {job && job.state !== "done" ? <JobState job={job} /> : figure && <span class="figure">{figure}</span>}
        {open && progress !== undefined && progress.wanted > 0 && (
          <progress class="thin" max={progress.wanted} value={progress.done} aria-label={`Progress of ${title}`} />
        )}
        {children}
        {problem && <p class="problem">{problem}</p>}
      </Part>
    </li>
  );
}

type HeadProps = { back: string; all: string; title: string; children?: ComponentChildren };

/** The head of a page with one of them: the way back, its title, and what can be done with it. */
export function PageHead({ back, all, title, children }: HeadProps) {
  return (
    <div class="pagehead">
      <p class="back">
        <a href={back}>
          <span aria-hidden="true">‹ </span>
          {all}
        </a>
      </p>
      <h1>{title}</h1>
      {children}
    </div>
  );
}
