// The upload form on a platform whose operator has builds judged: what it shows if the build is rejected, or cannot be judged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API, AT, openDesk } from './open-desk.ts';
import { apiError } from './stand-in-api.ts';

const REJECTED = 'The check of this platform rejected it: a <b>virus</b>. Change the build';
const FAILED = 'Cannot publish now. Try again later';

function buildForm(): FormData {
  const form = new FormData();
  form.set('version', '2.0.0');
  form.set('build', new Blob(['zip']), 'build.zip');
  return form;
}

test('a rejected build, and one that cannot be judged, are explained with and without JavaScript', async (t) => {
  const desk = await openDesk(t);
  const json = { accept: 'application/json' };
  const publish = (headers?: Record<string, string>) =>
    desk.post(`${AT}/upload`, buildForm(), headers);
  desk.api.answers[`POST ${API}/publish`] = apiError(400, 'build_rejected', REJECTED);
  const page = await publish();
  assert.equal(page.status, 400);
  assert.match(
    await page.text(),
    /role="alert"><p>The check of this platform rejected it: a &lt;b&gt;virus&lt;\/b&gt;\. Change the build\.</,
  );
  const { error: rejected } = await (await publish(json)).json();
  assert.deepEqual([rejected.code, rejected.message], ['build_rejected', `${REJECTED}.`]);

  const later = { 'retry-after': '30' };
  desk.api.answers[`POST ${API}/publish`] = apiError(503, 'hook_failed', FAILED, later);
  const failed = await publish();
  assert.deepEqual([failed.status, failed.headers.get('retry-after')], [503, '30']);
  assert.match(await failed.text(), /Builds can’t be checked now<[\s\S]*Try again later\./);
  const { error } = await (await publish(json)).json();
  assert.deepEqual([error.code, error.message], ['hook_failed', `${FAILED}.`]);
});
