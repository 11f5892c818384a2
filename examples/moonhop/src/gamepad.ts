// A gamepad's buttons. They have no events: whoever wants them asks in every frame.

/** Any button of any pad is the one button of the game. Returns whether one went down since the last time asked. */
export function makeGamepad(): () => boolean {
  let held = false;
  return () => {
    const before = held;
    held = pads().some((pad) => pad?.buttons.some(({ pressed }) => pressed));
    return held && !before;
  };
}

/** A page that shows the game may bar it from gamepads: then there are none. */
function pads(): readonly (Gamepad | null)[] {
  try {
    return navigator.getGamepads?.() ?? [];
  } catch {
    return [];
  }
}
