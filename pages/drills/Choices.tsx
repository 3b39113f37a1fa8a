/** The actions that a question lets the user choose among. */
import { useEffect } from "preact/hooks";
import type { QuestionView } from "../api/types";
import { ActionButton } from "../shared/ActionButton";
import type { Round } from "./model";
import { sizeWords } from "./words";

export function Choices({ round, question }: { round: Round; question: QuestionView }) {
  useEffect(() => window.scrollTo({ top: 0 }), [question.number]);
  return (
    <div class="choices" role="group" aria-label="What do you do?">
      {question.actions.map((one, i) => (
        <ActionButton
          key={one.action}
          label={one.action}
          more={sizeWords(one)}
          colour={one.colour}
          keyed={i < 9 ? String(i + 1) : ""}
          off={round.busy}
          run={() => round.answer(one.action)}
        />
      ))}
    </div>
  );
}
