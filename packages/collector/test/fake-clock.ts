// The page's clock, which stands still until a test moves it. Import it before anything that reads the clock.
export const clock = { ms: 1_000 };

Object.defineProperty(performance, 'now', { value: () => clock.ms, configurable: true });
