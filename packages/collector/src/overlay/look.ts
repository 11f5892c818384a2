// The style of the overlay: dense, legible over any game, light or dark as the player's system. Text that changes every second is
// in cells of fixed size, so that it causes layout only in its own cell. The panel has no blurred background, which the GPU would
// have to draw in every frame of the game.

export const STYLE = `
:host {
  all: initial;
  position: fixed;
  z-index: 2147483647;
  inset: 12px 12px auto auto;
  color-scheme: light dark;
  contain: layout style;
  --ground: #fdfdfcf4;
  --ink: #1b1c1f;
  --dim: #5d6068;
  --line: #00000021;
  --good: #1a7f5a;
  --over: #b25d00;
  --far: #c02637;
}
@media (prefers-color-scheme: dark) {
  :host {
    --ground: #16171bf4;
    --ink: #eceae4;
    --dim: #a3a5ad;
    --line: #ffffff24;
    --good: #5cd6a4;
    --over: #ffb454;
    --far: #ff7085;
  }
}
section {
  contain: layout paint style;
  box-sizing: border-box;
  width: min(320px, calc(100vw - 24px));
  padding: 10px 12px;
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--ground);
  color: var(--ink);
  font: 12px/18px system-ui, sans-serif;
  font-variant-numeric: tabular-nums;
  box-shadow: 0 6px 24px #0004;
}
header, footer, dl, dl div, li { display: flex; align-items: center; gap: 8px; margin: 0; }
header { white-space: nowrap; height: 26px; }
strong { font-size: 22px; line-height: 24px; font-weight: 650; }
strong .dim { font-size: 12px; font-weight: 400; }
.box { position: relative; flex: 1; height: 18px; }
.cell { position: absolute; inset: 0; contain: strict; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.dim { color: var(--dim); }
.push { margin-left: auto; }
button {
  font: inherit;
  color: inherit;
  padding: 2px 8px;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: none;
  cursor: pointer;
}
button:hover { border-color: currentColor; }
button:focus-visible { outline: 2px solid var(--good); outline-offset: 1px; }
button[aria-pressed="true"]::before { content: "● "; color: var(--far); }
canvas { display: block; width: 100%; height: 56px; margin: 8px 0 6px; }
dl { padding-bottom: 6px; border-bottom: 1px solid var(--line); }
dl div { gap: 5px; flex: 1; }
dt { color: var(--dim); }
dd { margin: 0; }
ol { margin: 6px 0; padding: 0; list-style: none; }
li[hidden] { display: none; }
li .time { flex: 0 0 60px; text-align: right; }
li .size { flex: 0 0 66px; text-align: right; color: var(--dim); }
header .box { height: 24px; }
footer { color: var(--dim); }
`;
