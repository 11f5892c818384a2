// A gamepad's buttons. They have no events: whoever wants them asks in every frame.

/** Any button of any pad is the one button of the game. Returns whether one went down since the last time asked. */
export function makeGamepad(): () => boolean {
  let held = false;
  return () => {
    const before = held;
    held = false;
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (pad?.buttons.some(({ pressed }) => pressed)) held = true;
    }
    return held && !before;
  };
}
