// Long tasks that block the main thread, and the script that most of them ran.
import { nameText } from '../../derive/facts/number-text.ts';
import { milliseconds, percent, type Rule, rounded } from '../findings/finding.ts';

/** Tasks that are longer than this block the main thread: the browsers' definition of a long task. */
const TASK_MS = 50;
/** Fewer long tasks may be start-up. */
const FEWEST_TASKS = 3;
/** From this fraction of the time on, blocking is noticeable. */
const BLOCKED_SHARE = 0.02;

export const longTasks: Rule = ({ model, duration_ms, budget_ms }) => {
  const blocking = model.longtasks.map((task) => ({
    task,
    ms: task.blocking_ms ?? Math.max(0, task.duration_ms - TASK_MS),
  }));
  const total = blocking.reduce((sum, { ms }) => sum + ms, 0);
  const counted = blocking.filter(({ ms }) => ms > 0).sort((a, b) => b.ms - a.ms);
  if (counted.length < FEWEST_TASKS || total < duration_ms * BLOCKED_SHARE) return null;
  const scripts = new Map<string, number>();
  for (const { name, duration_ms: ms } of model.longtasks.flatMap((task) => task.scripts ?? [])) {
    scripts.set(name, (scripts.get(name) ?? 0) + ms);
  }
  const [top] = [...scripts].sort((a, b) => b[1] - a[1]);
  const blamed =
    top === undefined ? '' : ` Most of it ran in ${nameText(top[0])} (${milliseconds(top[1])}).`;
  return {
    id: 'long_tasks',
    severity: total > duration_ms * BLOCKED_SHARE * 5 ? 'critical' : 'warning',
    title: `Long tasks block the main thread for ${percent(total / duration_ms)} of the time`,
    detail: `${counted.length} tasks took longer than ${TASK_MS} ms and blocked the main thread for ${milliseconds(total)} beyond that.${blamed} Split the longest one, or move it to a worker.`,
    evidence: [
      ...(top === undefined
        ? []
        : [{ label: nameText(top[0]), value: rounded(top[1]), unit: 'ms in long tasks' }]),
      ...counted.slice(0, 5).map(({ task }) => ({
        label: 'long task',
        t: task.t,
        duration_ms: rounded(task.duration_ms),
      })),
    ],
    impact: total / budget_ms,
  };
};
