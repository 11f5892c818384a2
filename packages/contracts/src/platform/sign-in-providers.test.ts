import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInProviders } from './sign-in-providers.ts';

test('signInProviders returns the list of the API, or the only provider of an older one', () => {
  const old = { issuer: 'https://id.example:8443/realms/x', client_id: 'svc' };
  const only = { ...old, name: 'id.example:8443', cli_client_id: 'svc' };
  assert.deepEqual(signInProviders(old), [only]);
  assert.deepEqual(signInProviders({ ...old, providers: [] }), [only]);
  const providers = [
    { ...only, name: 'One' },
    { ...only, issuer: 'https://two.example', cli_client_id: 'svc-cli' },
  ];
  assert.deepEqual(signInProviders({ ...old, providers }), providers);
  const odd = { issuer: 'nonsense', client_id: 'svc' };
  assert.deepEqual(signInProviders(odd), [{ ...odd, name: 'nonsense', cli_client_id: 'svc' }]);
});
