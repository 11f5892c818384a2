// A page clock that only a test advances. Import it before any module that reads the clock.
export const clock = { ms: 1_000 };

Object.defineProperty(performance, 'now', { value: () => clock.ms, configurable: true });
