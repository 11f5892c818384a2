import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../test/stand-in-page.ts';
import { LatestCall } from './latest-call.ts';

function open() {
  const asked: number[] = [];
  const taken: string[] = [];
  const answers: PromiseWithResolvers<string>[] = [];
  const call = new LatestCall<number, string>(
    (question) => {
      asked.push(question);
      const answer = Promise.withResolvers<string>();
      answers.push(answer);
      return answer.promise;
    },
    (answer) => taken.push(answer),
  );
  return { call, asked, taken, answers };
}

test('one question is asked at a time, and of those that wait only the latest', async () => {
  const { call, asked, taken, answers } = open();
  for (const question of [1, 2, 3]) call.ask(question);
  await settle();
  assert.deepEqual([asked, taken], [[1], []]);
  answers[0]?.resolve('one');
  await settle();
  assert.deepEqual([asked, taken], [[1, 3], ['one']]);
  answers[1]?.resolve('three');
  await settle();
  assert.deepEqual(
    [asked, taken],
    [
      [1, 3],
      ['one', 'three'],
    ],
  );
  call.ask(4);
  assert.deepEqual(asked, [1, 3, 4]);
});

test('a question that fails has no answer, and the next one is asked', async () => {
  const { call, asked, taken, answers } = open();
  call.ask(1);
  call.ask(2);
  answers[0]?.reject(new Error('No trace is open'));
  await settle();
  answers[1]?.resolve('two');
  await settle();
  assert.deepEqual([asked, taken], [[1, 2], ['two']]);
});
