// The accent colour that an owner chooses for a game's page, and a text colour that is readable on it.

/** The accent and a text colour with sufficient contrast; null if `accent` is not `#rrggbb`. */
export function accentColours(accent: string | null): { accent: string; ink: string } | null {
  if (accent === null || !/^#[0-9a-f]{6}$/.test(accent)) return null;
  return { accent, ink: luminance(accent) > 0.179 ? '#000000' : '#ffffff' };
}

/** Relative luminance, 0 to 1, by WCAG 2.2. Above 0.179 black has more contrast than white. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
