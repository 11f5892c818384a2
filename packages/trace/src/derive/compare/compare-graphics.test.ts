import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graphicsWarning } from './compare-graphics.ts';

const CARD = { name: 'Card 3000', software: false };
const OTHER = { name: 'Card 2', software: false };
const SOFTWARE = { name: 'SwiftShader', software: true };

test('two graphics adapters are named, and which of them renders in software', () => {
  assert.equal(
    graphicsWarning(CARD, OTHER),
    'The traces have different graphics adapters: Card 3000 before, Card 2 after. Record both on the same computer to compare times.',
  );
  assert.match(graphicsWarning(SOFTWARE, CARD) ?? '', /: SwiftShader \(in software\) before, Card/);
  assert.match(graphicsWarning(CARD, SOFTWARE) ?? '', /, SwiftShader \(in software\) after\./);
});

test('an unknown adapter is only a reason for a warning if the other one renders in software', () => {
  assert.equal(graphicsWarning(undefined, CARD), null);
  assert.equal(graphicsWarning(CARD, undefined), null);
  assert.equal(graphicsWarning(undefined, undefined), null);
  assert.match(
    graphicsWarning(undefined, SOFTWARE) ?? '',
    /^The traces may have different graphics adapters: an unknown one before, SwiftShader \(in software\) after\./,
  );
  assert.match(graphicsWarning(SOFTWARE, undefined) ?? '', /, an unknown one after\./);
});

test('the same adapter is no reason for a warning, also if it renders in software', () => {
  assert.equal(graphicsWarning(CARD, { ...CARD }), null);
  assert.equal(graphicsWarning(SOFTWARE, { ...SOFTWARE }), null);
});
