/** The tabs beside the grid. */
import type { TargetedKeyboardEvent } from "preact";
import type { NodeView } from "../api/types";
import { TABS } from "./address";
import { Blockers } from "./Blockers";
import { Categories } from "./Categories";
import { Combos } from "./Combos";
import { Compare } from "./Compare";
import { Lock } from "./Lock";
import type { Study } from "./model";
import { NotesPanel } from "./NotesPanel";
import { Ranges } from "./Ranges";
import { RunOuts } from "./RunOuts";

export type PanelProps = { study: Study; view: NodeView };

const PANELS = {
  combos: Combos,
  categories: Categories,
  ranges: Ranges,
  blockers: Blockers,
  runouts: RunOuts,
  compare: Compare,
  lock: Lock,
  notes: NotesPanel,
};

export function Tabs({ study, view }: PanelProps) {
  const { tab } = study.state;
  const Panel = PANELS[tab];
  const arrow = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = TABS.findIndex(([one]) => one === tab);
    const to = (at + by + TABS.length) % TABS.length;
    study.set({ tab: TABS[to][0] });
    (event.currentTarget.children[to] as HTMLElement).focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Tables" onKeyDown={arrow}>
        {TABS.map(([one, title]) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={tab === one}
            aria-controls="panel"
            tabIndex={tab === one ? 0 : -1}
            onClick={() => study.set({ tab: one })}
          >
            {title}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" tabIndex={0} aria-labelledby={`tab-${tab}`}>
        <Panel key={tab} study={study} view={view} />
      </div>
    </>
  );
}
