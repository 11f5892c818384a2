import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readObserveSettings } from './settings.ts';

const NONE = { metrics: null, traces: null };

test('readObserveSettings returns the defaults for unset and empty settings', () => {
  const unset = { logLevel: 'info', logFormat: null, logAddresses: false, ...NONE };
  const faults: string[] = [];
  assert.deepEqual(readObserveSettings({}, faults), unset);
  const empty = { SVC_LOG_LEVEL: '', SVC_LOG_FORMAT: ' ', SVC_LOG_ADDRESSES: '\t' };
  assert.deepEqual(readObserveSettings({ ...empty, SVC_METRICS_PORT: '' }, faults), unset);
  assert.deepEqual(readObserveSettings({ SVC_METRICS_HOST: '10.0.0.1' }, faults), unset);
  assert.deepEqual(faults, []);
});

test('readObserveSettings reads all settings, without spaces around them', () => {
  const faults: string[] = [];
  const environment = {
    ...{ SVC_LOG_LEVEL: ' debug ', SVC_LOG_FORMAT: 'json', SVC_LOG_ADDRESSES: 'on' },
    ...{ SVC_METRICS_PORT: ' 9464', SVC_METRICS_HOST: '::1 ' },
    ...{ SVC_TRACES_URL: ' https://otel.example/v1/traces', SVC_TRACES_RATIO: '.05' },
  };
  assert.deepEqual(readObserveSettings(environment, faults), {
    ...{ logLevel: 'debug', logFormat: 'json', logAddresses: true },
    metrics: { host: '::1', port: 9464 },
    traces: { url: 'https://otel.example/v1/traces', ratio: 0.05 },
  });
  assert.deepEqual(readObserveSettings({ SVC_METRICS_PORT: '0' }, faults).metrics, {
    ...{ host: '127.0.0.1', port: 0 },
  });
  assert.deepEqual(faults, []);
});

test('readObserveSettings names each invalid setting, without its value', () => {
  const faults: string[] = [];
  readObserveSettings(
    {
      ...{ SVC_LOG_LEVEL: 'loud', SVC_LOG_FORMAT: 'xml', SVC_LOG_ADDRESSES: 'yes' },
      SVC_METRICS_PORT: '65536',
    },
    faults,
  );
  assert.deepEqual(faults, [
    'SVC_METRICS_PORT: must be a port from 0 to 65535',
    'SVC_LOG_LEVEL: must be one of debug, info, warn, error',
    'SVC_LOG_FORMAT: must be one of json, text',
    'SVC_LOG_ADDRESSES: must be one of on, off',
  ]);
  for (const port of ['-1', '1.5', '9464x', '123456']) {
    const more: string[] = [];
    readObserveSettings({ SVC_METRICS_PORT: port }, more);
    assert.equal(more.length, 1, port);
  }
  for (const ratio of ['2', '-1', '1.5', 'x', '.']) {
    const more: string[] = [];
    readObserveSettings({ SVC_TRACES_RATIO: ratio, SVC_TRACES_URL: 'udp://x' }, more);
    assert.deepEqual(more, [
      'SVC_TRACES_URL: must be an http or https address',
      'SVC_TRACES_RATIO: must be a number from 0 to 1',
    ]);
  }
});
