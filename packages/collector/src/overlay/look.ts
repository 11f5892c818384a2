// How the overlay looks: dense, legible over any game, light or dark as the player's system is.

export const STYLE = `
:host {
  all: initial;
  position: fixed;
  z-index: 2147483647;
  inset: 12px 12px auto auto;
  color-scheme: light dark;
  contain: layout style;
  --ground: #fdfdfcee;
  --ink: #1b1c1f;
  --dim: #5d6068;
  --line: #00000021;
  --good: #1a7f5a;
  --over: #b25d00;
  --far: #c02637;
}
@media (prefers-color-scheme: dark) {
  :host {
    --ground: #16171bee;
    --ink: #eceae4;
    --dim: #a3a5ad;
    --line: #ffffff24;
    --good: #5cd6a4;
    --over: #ffb454;
    --far: #ff7085;
  }
}
section {
  box-sizing: border-box;
  width: min(320px, calc(100vw - 24px));
  padding: 10px 12px;
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--ground);
  color: var(--ink);
  font: 12px/1.45 system-ui, sans-serif;
  font-variant-numeric: tabular-nums;
  box-shadow: 0 6px 24px #0004;
  backdrop-filter: blur(6px);
}
header, footer, dl, li { display: flex; align-items: baseline; gap: 8px; margin: 0; }
header { align-items: center; white-space: nowrap; }
strong { font-size: 22px; line-height: 1; font-weight: 650; }
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
dl { justify-content: space-between; padding-bottom: 6px; border-bottom: 1px solid var(--line); }
dl div { display: flex; gap: 5px; }
dt { color: var(--dim); }
dd { margin: 0; }
ol { margin: 6px 0; padding: 0; list-style: none; min-height: 18px; }
li span:first-child { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
li span:last-child { min-width: 62px; text-align: right; }
footer { color: var(--dim); }
`;
