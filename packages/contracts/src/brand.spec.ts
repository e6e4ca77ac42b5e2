import { expect, it } from 'vitest';
import { contrastOf, findAccentProblem, linkColors, shadesOf } from './brand.js';

it('computes contrast ratios by WCAG', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrastOf('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
});

it('accepts accents with enough contrast in both themes', () => {
  expect(['#0b6b64', '#1c5fd4', '#6d28d9', '#b3261e'].map(findAccentProblem)).toEqual(
    Array(4).fill(undefined),
  );
});

it('names the contrasts that fail', () => {
  expect(findAccentProblem('#ffcc00')).toBe(
    'Contrast is too low: white text on buttons 1.5:1, links in the light theme 1.3:1. At least 4.5:1 is required. Choose a darker color.',
  );
  expect(findAccentProblem('#000000')).toMatch(/links in the dark theme 3\.\d:1.*Choose a lighter color/);
  expect(findAccentProblem('red; }')).toBe('Enter a color such as #0b6b64');
});

it('derives shades around the accent', () => {
  const shades = shadesOf('#1c5fd4');
  expect(shades).toHaveLength(10);
  expect(shades[7]).toBe('#1c5fd4');
  expect(linkColors('#1c5fd4')).toEqual({ light: shades[7], dark: shades[4] });
});
