// Derives what the session can do on this machine, with a reason for everything it can't.
import type { Capabilities, Capability, Probe, Provider } from '@svc/contracts/agent';
import type { ProbeOffer } from '../probes/offer-probes.ts';
import type { ProbeId } from '../probes/probe-kind.ts';
import type { PinnedProcess } from '../target/pin-process.ts';
import { canWatch, NO_PROCESS } from '../target/pin-target.ts';

/** The requested native probes, and the states of those that run. */
export type ProbeFacts = {
  readonly offers: readonly ProbeOffer[];
  readonly probes: readonly Probe[];
};

/** Derives the capabilities. `process` is the authorized process, or null. */
export function deriveCapabilities(
  process: PinnedProcess | null,
  { keyring, providers }: { keyring: Capability; providers: Provider[] },
  native: ProbeFacts,
): Capabilities {
  return {
    capture: captureOf(process),
    pss: pssOf(process, native.probes),
    frames: nativeOf('frames', native),
    stacks: nativeOf('stacks', native),
    files: nativeOf('files', native),
    keyring,
    analysis_offline: { available: true },
    analysis_provider: { ...analysisBy(providers), providers },
  };
}

const NO_REASON = 'It has failed';

function nativeOf(id: ProbeId, { offers, probes }: ProbeFacts): Capability {
  const offer = offers.find((one) => one.id === id);
  if (offer === undefined) return unavailable(`Not requested: start with --probes ${id}`);
  const failed = probes.find((probe) => probe.id === id && probe.state === 'failed');
  return failed === undefined ? offer.capability : unavailable(failed.reason ?? NO_REASON);
}

/**
 * Whether a model can be asked. A keyless provider on this machine counts only if its address was
 * given, because Ollama may not be running.
 */
function analysisBy(providers: readonly Provider[]): Capability {
  const ready = providers.some(
    ({ id, key }) =>
      key === 'env' || key === 'keyring' || (id === 'custom' && key === 'not_needed'),
  );
  return ready
    ? { available: true }
    : unavailable('No provider has a key; ollama needs none, if it runs on this machine');
}

function captureOf(target: PinnedProcess | null): Capability {
  if (target !== null) return { available: true };
  return canWatch(process.platform)
    ? unavailable(NO_PROCESS)
    : unavailable('Capture works on Linux, macOS and Windows');
}

function pssOf(target: PinnedProcess | null, probes: readonly Probe[]): Capability {
  if (target === null) return captureOf(target);
  const probe = probes.find(({ id, state }) => id === 'pss' && state === 'unavailable');
  return probe === undefined ? { available: true } : unavailable(probe.reason ?? NO_REASON);
}

function unavailable(reason: string): Capability {
  return { available: false, reason };
}
