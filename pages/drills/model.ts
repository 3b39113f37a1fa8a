/** A round: the question that waits, the answer that was given last, and all answers so far. */
import { api, messageOf, Problem } from "../api/client";
import type { AnswerView, DrillView, QuestionView } from "../api/types";
import { drawn, Model } from "../shared/model";
import { answerHeard, questionHeard, totalsWords } from "./words";

const PAGE = 100;
const AGAIN_MS = 1500;

export type Answered = { question: QuestionView; answer: AnswerView };

export class Round extends Model {
  drill: DrillView | null = null;
  /** The answer that is shown, until the user goes on. */
  answered: Answered | null = null;
  /** What has been answered, the last one first, as far as it was read; and how many there are. */
  answers: AnswerView[] = [];
  total = 0;
  problem = "";
  /** Why another question than before is asked. */
  note = "";
  /** Whether something is awaited. */
  busy = false;
  /** What screen readers were told last. */
  heard = "";
  /** The round after the answer that is shown, with its next question. */
  #after: Promise<DrillView> | null = null;
  #timer = 0;
  #ended = false;

  constructor(readonly id: string) {
    super();
  }

  get question(): QuestionView | null {
    return this.answered ? null : (this.drill?.question ?? null);
  }

  /** Whether nothing more is asked, and the last answer has been looked at. */
  get over(): boolean {
    return this.answered === null && this.drill?.over === true;
  }

  /** Open the round, and look again when the page is looked at again. @returns ends that */
  begin(): () => void {
    const again = () => {
      // An answer that is looked at stays.
      if (!this.answered && !this.busy) this.load();
    };
    const back = () => document.visibilityState === "visible" && again();
    document.addEventListener("visibilitychange", back);
    this.load();
    return () => {
      document.removeEventListener("visibilitychange", back);
      clearTimeout(this.#timer);
      this.#ended = true;
    };
  }

  /** Read how the round stands, with its answers. */
  async load(): Promise<void> {
    await this.#do(async () => {
      this.#take(await this.#read());
      await this.#readAnswers(0);
    });
  }

  /** Read earlier answers than those that are known. */
  more(): Promise<void> {
    return this.#do(() => this.#readAnswers(this.answers.length));
  }

  async #readAnswers(skip: number): Promise<void> {
    const query = { skip, count: PAGE };
    const found = await api("GET drills/{drill}/answers", { path: { drill: this.id }, query });
    this.answers = [...this.answers.slice(0, skip), ...found.answers];
    this.total = found.total;
  }

  #read(): Promise<DrillView> {
    return api("GET drills/{drill}", { path: { drill: this.id } });
  }

  #take(drill: DrillView): void {
    const before = this.question;
    this.drill = drill;
    this.answered = null;
    this.#after = null;
    const { question } = this;
    if (question && question.number !== before?.number) this.heard = questionHeard(question);
    if (drill.over && drill.totals) {
      const { right, others } = totalsWords(drill.totals);
      this.heard = `The round is over. ${right}, ${others}`;
    }
  }

  /** Go on after a while if there was no server; a question that was not answered waits in it. */
  #retry(error: unknown): void {
    clearTimeout(this.#timer);
    if (this.#ended || !(error instanceof Problem) || error.status) return;
    this.#timer = window.setTimeout(() => void (this.answered ? this.next() : this.load()), AGAIN_MS);
  }

  /** Run something while nothing else is awaited; what is wrong is shown. */
  async #do(run: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.changed();
    try {
      await run();
      this.problem = "";
    } catch (error) {
      this.problem = messageOf(error);
      this.#retry(error);
    }
    this.busy = false;
    this.changed();
    await drawn();
    // The button that had the focus may be gone.
    const lost = !document.activeElement || document.activeElement === document.body;
    if (lost) document.getElementById("round")?.focus({ preventScroll: true });
  }

  /** Answer the question by the name of an action. */
  async answer(action: string): Promise<void> {
    const { question, drill } = this;
    if (!question || !drill) return;
    const body = { number: question.number, action };
    await this.#do(async () => {
      try {
        const found = await api("POST drills/{drill}/answers", { path: { drill: this.id }, body });
        this.note = "";
        this.answered = { question, answer: found.answer };
        this.drill = { ...drill, ...found.drill, question: null };
        this.answers = [found.answer, ...this.answers];
        this.total++;
        this.heard = answerHeard(found.answer);
        // The next question may take a moment to be found; meanwhile the user reads what this answer is worth.
        this.#after = this.#read();
        this.#after.then(
          ({ repetition }) => {
            if (this.drill && this.answered) this.drill.repetition = repetition;
            this.changed();
          },
          () => {},
        );
      } catch (error) {
        if (!(error instanceof Problem) || error.type !== "StaleError") throw error;
        this.#take(await this.#read());
        await this.#readAnswers(0);
        this.note = `Question ${question.number} has been answered already, perhaps in another tab.`;
      }
    });
  }

  /** Go on to the next question, or to the totals of a round that is over. */
  next(): Promise<void> {
    return this.#do(async () => {
      if (!this.answered) return;
      const after = this.#after;
      // What could not be read is asked for once more.
      this.#take(await (after?.catch(() => this.#read()) ?? this.#read()));
    });
  }
}
