/** What was worked on last, the newest first. */
import { ROOMS } from "../app/rooms";
import { Icon } from "../shared/Icon";
import { ago, type Recent } from "./recent";

type Props = { recent: Recent[]; known: boolean; problem: string };

export function RecentWork({ recent, known, problem }: Props) {
  return (
    <section class="recent" aria-labelledby="recent" aria-busy={!known}>
      <h2 id="recent">Recent work</h2>
      {problem && <p class="problem">{problem}</p>}
      {known && !recent.length && (
        <p class="soft none">
          Solutions, tables, reviews, reports and drills will stand here, the newest first. They are files of this
          machine, and nothing is sent anywhere.
        </p>
      )}
      <ul>
        {recent.map((one) => (
          <One key={one.href} one={one} />
        ))}
      </ul>
    </section>
  );
}

function One({ one: { room, href, title, what, problem, when, done, running } }: { one: Recent }) {
  return (
    <li>
      <Icon path={ROOMS[room].icon} />
      <a href={href}>
        <span class="unseen">{`${ROOMS[room].title}: `}</span>
        {title}
      </a>
      {problem ? <span class="problem what">{problem}</span> : <span class="soft what">{what}</span>}
      {done !== null && <progress value={done} aria-label={`How much of ${title} is done`} />}
      <span class="soft when">{running ? "now" : ago(when)}</span>
    </li>
  );
}
