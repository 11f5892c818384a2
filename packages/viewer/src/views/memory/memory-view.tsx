// The memory view: what leaks, by load, by asset and by time.
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { Empty } from '../../controls/empty.tsx';
import { Pending } from '../../controls/pending.tsx';
import { has, traceId, traceLength } from '../../traces/open-traces.ts';
import { AliveAssets } from './alive-assets.tsx';
import type { MemoryCalls, MemoryView } from './derive-memory.ts';
import { Repeats } from './repeats.tsx';
import { Trends } from './trends.tsx';
import './memory.css';

const engine = engineFor<MemoryCalls>();

export function MemoryPage() {
  const { answer: memory, fault } = useAnswer(
    () => engine.call('memory', { slot: 'main' }),
    [traceId.value, traceLength.value],
  );
  if (memory === null) return <Pending fault={fault}>Looking for leaks…</Pending>;
  if (isEmpty(memory)) return <NoMemory />;
  return (
    <div class="memory-page">
      <header>
        <h2 class="memory-answer wrap-anywhere">{memory.answer}</h2>
        {memory.notes.map((note) => (
          <p key={note} class="hint">
            {note}
          </p>
        ))}
      </header>
      <Trends trends={memory.trends} />
      <Repeats repeats={memory.repeats} count={memory.repeatCount} />
      <AliveAssets alive={memory.alive} />
    </div>
  );
}

function isEmpty({ trends, repeats, alive }: MemoryView): boolean {
  return trends.length === 0 && repeats.length === 0 && (alive?.count ?? 0) === 0 && !has('asset');
}

function NoMemory() {
  return (
    <Empty title="No memory in this trace">
      <code>svc record</code> and the collector record the JS heap and the GPU memory of a browser
      game. <code>svc dashboard --pid PID</code> records RSS and PSS of a process.
    </Empty>
  );
}
