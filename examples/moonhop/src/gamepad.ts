// Gamepad buttons. They have no events, so the game polls them in every frame.

/** Any button of any gamepad is the button of the game. Returns whether one was pressed since the last call. */
export function makeGamepad(): () => boolean {
  let held = false;
  return () => {
    const before = held;
    held = pads().some((pad) => pad?.buttons.some(({ pressed }) => pressed));
    return held && !before;
  };
}

/** The gamepads. Empty if the embedding page does not allow gamepads. */
function pads(): readonly (Gamepad | null)[] {
  try {
    return navigator.getGamepads?.() ?? [];
  } catch {
    return [];
  }
}
