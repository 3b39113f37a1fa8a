"""A round of a drill at the terminal: its output and its input."""

from __future__ import annotations

from rich.console import Console

from errai.arena.drill import Drill, Grade, Question, grade
from errai.cli.talk import Leave, Talk
from errai.console import counted
from errai.errors import IllegalActionError
from errai.pictures.drill import answer_table, answer_words, choices, read_choice, totals_table, totals_words
from errai.pictures.play import node_view, printable
from errai.pictures.table import table_terminal
from errai.solutions.node import SolutionNode

HELP = """\
1, 2, 3      the action with this number
f, k, c      fold, check, call
b, r         the bet, the raise; b 120 and r 33% name one of several
a            all-in
t            the totals so far
q            quit; the answers so far are kept\
"""

STYLES = {Grade.RIGHT: "bold green", Grade.INACCURATE: "bold yellow", Grade.MISTAKE: "bold red"}


class DrillLoop(Talk):
    """The loop over the questions of a round: it draws the table, reads answers and shows what they are worth."""

    def __init__(self, drill: Drill, console: Console, *, plain: bool) -> None:
        super().__init__(console, plain=plain)
        self.drill = drill
        self.title = printable(drill.solution.title)

    def run(self, seed: int) -> None:
        """Ask until the questions are over, the user leaves, or the input ends; then show the totals."""
        self.begin()
        self.say(f"{self.title}: up to {counted(self.drill.number, 'decision')}, seed {seed}. Type ? for help.")
        try:
            for question in self.drill.questions():
                self.question(question)
        except Leave:
            self.say("")
        except KeyboardInterrupt:
            self.say("")
        self.totals()
        self.farewell()

    def question(self, question: Question) -> None:
        """Show a decision, read an answer, and say what it is worth."""
        drill = self.drill
        node = drill.node(question)
        cards = drill.solution.deck.parse_cards(question.hand)
        again = ", asked again" if question.again else ""
        heading = f"Decision {len(drill.answers) + 1:,} of {drill.number:,}{again}: {self.title}"
        self.console.print(table_terminal(node_view(node, cards, heading), self.console, plain=self.plain))
        action = self.choice(node)
        with self.waiting("The answer is being graded"):
            decision = drill.answer(question, action)
        self.say(answer_words(decision, drill.review.units), style=STYLES[grade(decision)])
        self.console.print(answer_table(decision))
        self.say("")

    def choice(self, node: SolutionNode) -> int:
        """Return the place of the action that the user chooses."""
        offered = choices(node)
        self.say("   ".join(offered), style="bold")
        while True:
            words = self.ask("> ")
            if words.lower() in ("q", "quit", "exit"):
                raise Leave(asked=True)
            if words in ("?", "help"):
                self.say(HELP)
            elif words.lower() in ("t", "totals"):
                self.say(totals_words(self.drill) or "No decision has been answered yet.")
            elif not words:
                self.say(f"You can: {'; '.join(offered)}.")
            else:
                try:
                    return read_choice(words, node)
                except IllegalActionError as error:
                    self.say(str(error))

    def totals(self) -> None:
        """Show the totals of the round."""
        if not self.drill.answers:
            self.say("No decision was answered.")
            return
        self.say(totals_words(self.drill), style="bold")
        self.console.print(totals_table(self.drill, "street"))

    def farewell(self) -> None:
        """Say what is kept, and when it is asked again."""
        kept = self.drill.repetition
        if kept is None:
            return
        day = kept.next_day()
        if day is None:
            self.say(f"No mistake is kept in {kept.path}.")
        else:
            when = day.astimezone(kept.now().tzinfo).date().isoformat()
            self.say(f"{counted(len(kept), 'decision')} kept in {kept.path}; the next is due on {when}.")
