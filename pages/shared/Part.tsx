/** A part of a room.  One whose data are damaged says so, and the rest of the room is drawn. */
import { Component, type ComponentChildren } from "preact";
import { messageOf } from "../api/client";

type Props = { name: string; children: ComponentChildren };

export class Part extends Component<Props, { problem: string }> {
  override state = { problem: "" };

  override componentDidCatch(error: unknown): void {
    this.setState({ problem: messageOf(error) });
  }

  override componentWillReceiveProps(): void {
    if (this.state.problem) this.setState({ problem: "" });
  }

  override render() {
    const { problem } = this.state;
    if (!problem) return this.props.children;
    return (
      <p class="problem">
        {this.props.name} cannot be shown, because a file of it is damaged ({problem}). Delete it.
      </p>
    );
  }
}
