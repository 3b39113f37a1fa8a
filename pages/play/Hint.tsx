/** What the advisor would do. */
import type { HintModel } from "../api/types";
import type { Found } from "../shared/answers";
import { percent } from "../shared/numbers";

export function Hint({ hint }: { hint: Found<HintModel> | null }) {
  if (!hint) return null;
  if (hint.busy) return <p class="soft">The advisor is thinking …</p>;
  const { found } = hint;
  if (!found) return <p class="problem">{hint.problem}</p>;
  if (!found.actions.length) return <p>{found.advisor} never comes here with this hand, so there is no hint.</p>;
  return (
    <>
      <table class="hint">
        <caption>{found.advisor} with your hand</caption>
        <tbody>
          {found.actions.map((one) => (
            <tr key={one.label}>
              <th scope="row">{`${one.label}${one.all_in ? ", all-in" : ""}`}</th>
              <td class="bar">
                <span style={{ width: `${100 * one.probability}%`, background: one.colour }} />
              </td>
              <td>{percent(one.probability)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.warning && <p class="problem">{found.warning}</p>}
    </>
  );
}
