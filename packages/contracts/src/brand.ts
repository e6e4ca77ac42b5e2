/** How an installation presents itself to customers. */
export interface Brand {
  productName: string;
  /** `#rrggbb`; null: the accent of Tollgate. */
  accent: string | null;
  /** Path of the logo; null without one. */
  logo: string | null;
}

export const TOLLGATE_BRAND: Brand = { productName: 'Tollgate', accent: null, logo: null };

/** Share of white (positive) or black (negative) in each shade; shades 6 and 7 are the accent itself. */
const MIXES = [0.94, 0.86, 0.72, 0.58, 0.45, 0.2, 0, 0, -0.18, -0.36];

const LINK_IN_LIGHT = 7;
const LINK_IN_DARK = 4;

export type Shades = [string, string, string, string, string, string, string, string, string, string];

/** Ten shades of a color `#rrggbb`, from light to dark. */
export function shadesOf(accent: string): Shades {
  return MIXES.map((mix) => mixed(accent, mix)) as Shades;
}

/** The color of links: the accent in the light theme, a lighter shade in the dark one. */
export const linkColors = (accent: string): { light: string; dark: string } => ({
  light: mixed(accent, MIXES[LINK_IN_LIGHT] ?? 0),
  dark: mixed(accent, MIXES[LINK_IN_DARK] ?? 0),
});

/** WCAG AA for text. */
const MIN_CONTRAST = 4.5;

/** Why a color cannot be the accent: its form, or the contrasts below WCAG AA. Undefined if it can. */
export function findAccentProblem(accent: string): string | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(accent)) return 'Enter a color such as #0b6b64';
  const { light, dark } = linkColors(accent);
  const pairs = [
    ['white text on buttons', '#ffffff', accent],
    ['links in the light theme', light, '#f4f6f6'],
    ['links in the dark theme', dark, '#181d1e'],
  ] as const;
  const failing = pairs.flatMap(([what, one, other]) => {
    const ratio = contrastOf(one, other);
    return ratio < MIN_CONTRAST ? [`${what} ${(Math.floor(ratio * 10) / 10).toFixed(1)}:1`] : [];
  });
  if (failing.length === 0) return undefined;
  const hint = failing.some((text) => text.startsWith('links in the dark')) ? 'lighter' : 'darker';
  return `Contrast is too low: ${failing.join(', ')}. At least ${MIN_CONTRAST}:1 is required. Choose a ${hint} color.`;
}

/** Contrast ratio of two colors by WCAG 2, 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [a, b] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminanceOf(color: string): number {
  const [r = 0, g = 0, b = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function mixed(color: string, mix: number): string {
  const target = mix > 0 ? 255 : 0;
  const hex = channelsOf(color).map((channel) =>
    Math.round(channel + (target - channel) * Math.abs(mix))
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${hex.join('')}`;
}

const channelsOf = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
