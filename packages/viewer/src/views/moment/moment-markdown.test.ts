import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import type { TimeRange } from '../../draw/time-axis.ts';
import { deriveMoment } from './derive-moment.ts';
import { momentMarkdown } from './moment-markdown.ts';

function markdown(text: string, range: TimeRange, name = 'game.vpt'): string {
  const model = modelOf(traceFromText(text));
  const { notes } = model;
  return momentMarkdown(deriveMoment(model, range, 10), {
    name,
    range,
    fragment: '#moment=10-90',
    notes,
  });
}

test('the notes of a moment are lines of their own, in one line each, and escaped', () => {
  const note = { type: 'note', t: 10, id: 1, text: 'Boss *fight*\n\nslow <here>', duration_ms: 80 };
  const text = `${traceFromText('browser\n0 frames 10 80 12')}${JSON.stringify(note)}\n`;
  const model = modelOf(text);
  const range = { from: 10, to: 90 };
  const found = momentMarkdown(deriveMoment(model, range, 10), {
    name: 'a',
    range,
    fragment: '#',
    notes: model.notes,
  });
  assert.match(
    found,
    /^### Hitch .*\n\n- Note, 0:00\.010, 80\.0 ms: Boss \\\*fight\\\*: slow .*here.*\n\n/,
  );
  assert.doesNotMatch(found, /slow <here>/);
});

test('a hitch has its causes, its frames, functions, assets and other work, and a link', () => {
  const text = `browser
    0 frames 10 80 12 main_ms=5,78,6 gpu_ms=-,3,2 draws=7,8,9
    10 asset 1 sky|1.png texture upload main_thread_ms=70
    10 stacks main_[M];update_[S] 8000@70
    82 span 5 major gc`;
  assert.equal(
    markdown(text, { from: 10, to: 90 }),
    `### Hitch of 80.0 ms at 0:00.010 in game.vpt

Cause: uploading sky\\|1.png took 70 ms. Bound by loading: 70 of 80 ms on the main thread.

| Frame | Start | Duration | Main thread | GPU | Draw calls |
| --- | --- | ---: | ---: | ---: | ---: |
| before | 0:00.000 | 10.0 ms | 5.00 ms | – | 7 |
| this one | 0:00.010 | 80.0 ms | 78.0 ms | 3.00 ms | 8 |
| after | 0:00.090 | 12.0 ms | 6.00 ms | 2.00 ms | 9 |

| Function | Itself | With what it called |
| --- | --- | ---: |
| update | 8.00 ms | 8.00 ms |

| Asset | Phase | In this time |
| --- | --- | ---: |
| sky\\|1.png | upload | 70.0 ms |

| Work | Name | In this time |
| --- | --- | ---: |
| gc | major | 5.00 ms |

To see it, open game.vpt in the viewer and add \`#moment=10-90\` to its address.
`,
  );
});

test('a range without frames has no frame in its title, and only the tables that say something', () => {
  assert.equal(
    markdown('browser\n5 mark a', { from: 0, to: 1500 }, '<b>@all.vpt'),
    `### Moment of 1.50 s at 0:00.000 in &lt;b&gt;@&#8203;all.vpt

To see it, open &lt;b&gt;@&#8203;all.vpt in the viewer and add \`#moment=10-90\` to its address.
`,
  );
  assert.match(markdown('browser\n0 frames 10 9', { from: 0, to: 10 }), /^### Frame of 10\.0 ms/);
});

test('a long table ends with the number of rows that are left out', () => {
  const spans = Array.from({ length: 13 }, (_, i) => `${i} span 5 work${i}`).join('\n');
  const lines = markdown(`browser\n${spans}`, { from: 0, to: 50 }).split('\n');
  assert.equal(lines.filter((line) => /^\| span \| work/.test(line)).length, 10);
  assert.ok(lines.includes('and 3 more'));
});
