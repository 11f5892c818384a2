// The theme: light, dark, or as the system. Also resolves the colour tokens for canvases.
import { computed, signal } from '@preact/signals';
import { type Colours, TOKENS, type Token } from '../draw/tokens.ts';

type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'svc-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(dark.matches);

export const themeChoice = signal<ThemeChoice>(readChoice());
export const theme = computed(() =>
  themeChoice.value === 'system' ? (systemDark.value ? 'dark' : 'light') : themeChoice.value,
);

/** Applies the choice to the page and stores it. */
function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  apply();
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Storage may be full or forbidden. Then the choice lasts until the page is closed.
  }
}

/** Switches to the next of system, light and dark. */
export function nextTheme(): void {
  const order: ThemeChoice[] = ['system', 'light', 'dark'];
  chooseTheme(order[(order.indexOf(themeChoice.value) + 1) % 3] ?? 'system');
}

export function startTheme(): void {
  apply();
  dark.addEventListener('change', () => {
    systemDark.value = dark.matches;
  });
}

function apply(): void {
  if (themeChoice.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = themeChoice.value;
}

function readChoice(): ThemeChoice {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

// A custom property's value is its text, for example `light-dark(…)`. Only a property that uses it resolves to a
// colour.
/** The tokens as `rgb(…)` in the current theme. */
export const colours = computed<Colours>(() => {
  document.documentElement.dataset['shown'] = theme.value;
  const probe = document.createElement('i');
  document.body.append(probe);
  const read = (token: Token): string => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const found = Object.fromEntries(TOKENS.map((token) => [token, read(token)]));
  probe.remove();
  return found as Colours;
});
