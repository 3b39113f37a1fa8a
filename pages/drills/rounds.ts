/** The rounds there are, and what comes again today. */
import { api, messageOf } from "../api/client";
import type { DrillSummary, DueView } from "../api/types";
import { Model } from "../shared/model";
import { say } from "../shared/Said";

export class Rounds extends Model {
  all: DrillSummary[] | null = null;
  due: DueView[] = [];
  problem = "";

  /** Read them, and again when the page is looked at again. @returns ends that */
  begin(): () => void {
    this.read();
    const back = () => document.visibilityState === "visible" && this.read();
    document.addEventListener("visibilitychange", back);
    return () => document.removeEventListener("visibilitychange", back);
  }

  async read(): Promise<void> {
    try {
      const { drills, due } = await api("GET drills");
      Object.assign(this, { all: drills, due, problem: "" });
    } catch (error) {
      this.problem = messageOf(error);
    }
    this.changed();
  }

  async remove({ id, title }: DrillSummary): Promise<void> {
    if (!window.confirm(`Delete the round ${title}? What is kept for later days stays.`)) return;
    try {
      await api("DELETE drills/{drill}", { path: { drill: id } });
      say("The round was deleted.");
    } catch (error) {
      say(messageOf(error));
    }
    await this.read();
  }
}
