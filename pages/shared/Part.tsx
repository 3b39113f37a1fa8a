/** What is drawn in the place of something that cannot be. */
import { Component, type ComponentChildren } from "preact";
import { messageOf } from "../api/client";

type Props = {
  /** What is shown instead, with what is wrong. */
  instead: (problem: string) => ComponentChildren;
  children: ComponentChildren;
};

/** Draws something else in the place of children that fail, until they are given anew. */
export class Boundary extends Component<Props, { problem: string }> {
  override state = { problem: "" };

  override componentDidCatch(error: unknown): void {
    this.setState({ problem: messageOf(error) });
  }

  override componentWillReceiveProps(): void {
    if (this.state.problem) this.setState({ problem: "" });
  }

  override render() {
    const { problem } = this.state;
    return problem ? this.props.instead(problem) : this.props.children;
  }
}

/** A part of a room.  One whose data are damaged says so, and the rest of the room is drawn. */
export function Part({ name, children }: { name: string; children: ComponentChildren }) {
  const instead = (problem: string) => (
    <p class="problem">
      {name} cannot be shown, because a file of it is damaged ({problem}). Delete it.
    </p>
  );
  return <Boundary instead={instead}>{children}</Boundary>;
}
