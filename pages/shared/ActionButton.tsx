/** What a player can do, as a button: with its colour, what is said of its size, and its key. */
import { paint } from "./colours";
import "./choices.css";

type Props = { label: string; more: string; colour: string; keyed: string; off: boolean; run: () => void };

export function ActionButton({ label, more, colour, keyed, off, run }: Props) {
  return (
    <button type="button" disabled={off} onClick={run}>
      <span class="stripe" style={{ background: paint(colour) }} />
      <span>
        {label}
        {more && (
          <>
            {" "}
            <small>{more}</small>
          </>
        )}
      </span>{" "}
      {keyed && <kbd>{keyed}</kbd>}
    </button>
  );
}
