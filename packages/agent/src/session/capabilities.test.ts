import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Probe, Provider } from '@svc/contracts/agent';
import type { ProbeOffer } from '../probes/offer-probes.ts';
import type { PinnedProcess } from '../target/pin-process.ts';
import { deriveCapabilities } from './capabilities.ts';

const PROCESS: PinnedProcess = {
  target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
  folder: '/proc/self',
  pssDenied: null,
  read: () => null,
  exited: () => false,
  release: () => {},
};

const KEYS = { keyring: { available: false, reason: 'locked' }, providers: [] };

test('deriveCapabilities: a native probe is as offered until it has failed', () => {
  const offers: ProbeOffer[] = [
    { id: 'stacks', capability: { available: true, reason: 'By perf' }, start: null },
  ];
  const stacksOf = (probes: Probe[]) =>
    deriveCapabilities(PROCESS, KEYS, { offers, probes }).stacks;
  assert.deepEqual(stacksOf([]), { available: true, reason: 'By perf' });
  assert.deepEqual(stacksOf([{ id: 'stacks', state: 'running' }]), {
    available: true,
    reason: 'By perf',
  });
  assert.deepEqual(stacksOf([{ id: 'files', state: 'failed', reason: 'It died' }]), {
    available: true,
    reason: 'By perf',
  });
  assert.deepEqual(stacksOf([{ id: 'stacks', state: 'failed', reason: 'It died' }]), {
    available: false,
    reason: 'It died',
  });
  const { files } = deriveCapabilities(PROCESS, KEYS, { offers, probes: [] });
  assert.deepEqual(files, { available: false, reason: 'Not requested: start with --probes files' });
});

test("deriveCapabilities: capture and PSS need a process; PSS that can't be read has a reason", () => {
  const none = deriveCapabilities(null, KEYS, { offers: [], probes: [] });
  assert.equal(none.capture.available, false);
  assert.match(none.capture.reason ?? '', /start with --pid PID, --name NAME or -- PROGRAM$/);
  assert.deepEqual(none.pss, none.capture);
  assert.deepEqual(none.analysis_offline, { available: true });
  assert.deepEqual(none.keyring, KEYS.keyring);
  const some = deriveCapabilities(PROCESS, KEYS, { offers: [], probes: [] });
  assert.deepEqual(some.capture, { available: true });
  const pssOf = (probes: Probe[]) => deriveCapabilities(PROCESS, KEYS, { offers: [], probes }).pss;
  assert.deepEqual(pssOf([{ id: 'pss', state: 'warning', reason: 'dear' }]), { available: true });
  assert.deepEqual(pssOf([{ id: 'pss', state: 'unavailable', reason: 'denied' }]), {
    available: false,
    reason: 'denied',
  });
});

test('deriveCapabilities: a system without capture names those that have it, and one of those asks for a process', (t) => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  t.after(() => Object.defineProperty(process, 'platform', platform));
  const captureOn = (value: string) => {
    Object.defineProperty(process, 'platform', { ...platform, value });
    return deriveCapabilities(null, KEYS, { offers: [], probes: [] }).capture;
  };
  assert.deepEqual(captureOn('freebsd'), {
    available: false,
    reason: 'Capture works on Linux, macOS and Windows',
  });
  for (const system of ['linux', 'darwin', 'win32']) {
    const reason = 'No process was authorized: start with --pid PID, --name NAME or -- PROGRAM';
    assert.deepEqual(captureOn(system), { available: false, reason }, system);
  }
});

test('deriveCapabilities: a provider can be asked with a key, or if the user gave an address that needs none', () => {
  const availableWith = (id: string, key: Provider['key']) => {
    const providers = [{ id, host: 'h', key }];
    const { analysis_provider } = deriveCapabilities(
      null,
      { ...KEYS, providers },
      { offers: [], probes: [] },
    );
    assert.deepEqual(analysis_provider.providers, providers);
    return analysis_provider.available;
  };
  assert.equal(availableWith('openai', 'env'), true);
  assert.equal(availableWith('openai', 'keyring'), true);
  assert.equal(availableWith('openai', 'none'), false);
  assert.equal(availableWith('ollama', 'not_needed'), false);
  assert.equal(availableWith('custom', 'not_needed'), true);
  assert.equal(availableWith('custom', 'none'), false);
});
