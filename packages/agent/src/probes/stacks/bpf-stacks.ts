// On-CPU stacks from bpftrace, of user space and kernel, sampled 99 times a second on each CPU.
import type { ProbeKind } from '../probe-kind.ts';
import { BpftraceStackParser } from './parse-bpftrace.ts';
import { StackBatches } from './stack-batches.ts';

/** bpftrace keeps stacks in a hash table without chains. A stack whose slot is taken is lost. */
const COLLISION = /failed to look up stack id/;

export const bpfStacks: ProbeKind = {
  id: 'stacks',
  open: (context) => {
    const batches = new StackBatches(context);
    const parser = new BpftraceStackParser();
    const takePrinted = (): void => {
      const { stacks, lost } = parser.take();
      for (const stack of stacks) batches.add(stack);
      batches.lose(lost);
    };
    return {
      ready: (t) => batches.ready(t),
      line: (text) => parser.line(text),
      tick: (t) => {
        takePrinted();
        batches.write(t);
      },
      end: (t) => {
        takePrinted();
        batches.end(t);
      },
      complaint: (text) => {
        const isCollision = COLLISION.test(text);
        if (isCollision) batches.lose(1);
        return isCollision;
      },
    };
  },
};
