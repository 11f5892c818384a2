// The keys of an input script.
import type { KeyInput } from 'puppeteer-core';

/** The codes that the client of the browser knows, as `KeyboardEvent.code` names them. */
const CODE = new RegExp(
  `^(${[
    'Key[A-Z]|Digit\\d|F([1-9]|1\\d|2[0-4])|Arrow(Left|Right|Up|Down)',
    'Space|Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|PageUp|PageDown|CapsLock|ContextMenu',
    '(Shift|Control|Alt|Meta)(Left|Right)',
    'Minus|Equal|BracketLeft|BracketRight|Backslash|Semicolon|Quote|Backquote|Comma|Period|Slash',
    'Numpad(\\d|Add|Subtract|Multiply|Divide|Decimal|Enter)|NumLock|ScrollLock|Pause',
  ].join('|')})$`,
);

/** Whether this is a `KeyboardEvent.code` that the browser can be sent, such as `KeyW`, `Space` or `ArrowLeft`. */
export function isKeyCode(code: string): code is KeyInput {
  return CODE.test(code);
}
