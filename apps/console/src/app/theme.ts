import {
  type AlertProps,
  createTheme,
  type InputProps,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
  type MantineTheme,
} from '@mantine/core';
import { shadesOf } from '@tollgate/contracts/brand';
import { brand } from '../lib/brand.js';

/** The viewer's choice of scheme. index.html reads it before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'tollgate-color-scheme' });

/** Verdigris: the brand, links, and everything that is allowed. Shade 7 carries white text at 6:1. */
const gate: MantineColorsTuple = [
  '#edf9f6',
  '#d5f1eb',
  '#ace4d9',
  '#7bd2c2',
  '#49baa9',
  '#259f90',
  '#128377',
  '#0b6b64',
  '#095650',
  '#06403c',
];

/** Vermilion: denied requests and danger. */
const ember: MantineColorsTuple = [
  '#fff3ed',
  '#ffe3d5',
  '#ffc6aa',
  '#ffa279',
  '#f98450',
  '#e9662a',
  '#ca4c14',
  '#a83b0c',
  '#862f0a',
  '#632308',
];

/** Ochre: warnings and partial states. */
const ochre: MantineColorsTuple = [
  '#fef8e7',
  '#fbeec6',
  '#f6dc8d',
  '#efc653',
  '#e2ae2a',
  '#c8930f',
  '#a37509',
  '#805a06',
  '#644605',
  '#4a3404',
];

const gray: MantineColorsTuple = [
  '#f7f8f8',
  '#eff1f1',
  '#e4e7e7',
  '#d3d8d8',
  '#b3babb',
  '#8b9395',
  '#667072',
  '#4b5355',
  '#2d3334',
  '#151a1b',
];

const dark: MantineColorsTuple = [
  '#dde2e3',
  '#bcc4c5',
  '#98a2a4',
  '#6d7779',
  '#343b3d',
  '#282e30',
  '#1b2022',
  '#111516',
  '#0c0f10',
  '#070909',
];

const SANS = "'Geist Variable', ui-sans-serif, system-ui, -apple-system, 'Segoe UI', sans-serif";
const MONO = "'Geist Mono Variable', ui-monospace, 'SF Mono', Menlo, Consolas, monospace";

const CLOSE = { 'aria-label': 'Close' };

/** The look of the console: one accent, hairline borders instead of shadows, a compact scale. */
export const theme = createTheme({
  colors: { gate: brand.accent === null ? gate : shadesOf(brand.accent), ember, ochre, gray, dark },
  primaryColor: 'gate',
  primaryShade: { light: 7, dark: 6 },
  black: '#151a1b',
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontFamily: SANS,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h3: { fontSize: '0.8125rem', lineHeight: '1.4' },
    },
  },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '10px', xl: '14px' },
  defaultRadius: 'sm',
  focusRing: 'auto',
  cursorType: 'pointer',
  components: {
    Alert: {
      vars: (_theme: MantineTheme, { color = 'gate' }: AlertProps) => ({
        root: {
          '--alert-bg': `color-mix(in srgb, var(--mantine-color-${color}-5) 8%, var(--tg-panel))`,
          '--alert-bd': `1px solid color-mix(in srgb, var(--mantine-color-${color}-5) 38%, var(--tg-panel))`,
        },
      }),
      styles: { title: { fontSize: '0.875rem', fontWeight: 600 } },
    },
    Button: { defaultProps: { size: 'xs' }, styles: { root: { fontWeight: 500, fontSize: '0.8125rem' } } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Anchor: { defaultProps: { underline: 'hover' } },
    Badge: {
      defaultProps: { variant: 'light', radius: 'xs', size: 'sm' },
      styles: { root: { textTransform: 'none', fontWeight: 500 } },
    },
    Drawer: {
      defaultProps: {
        position: 'right',
        overlayProps: { backgroundOpacity: 0.35 },
        closeButtonProps: CLOSE,
      },
    },
    // Without the faded color: fields of a form that the viewer may only read remain readable.
    Input: {
      styles: (_theme: MantineTheme, { disabled }: InputProps) => ({
        input: disabled ? { opacity: 1, color: 'var(--tg-text-soft)' } : {},
      }),
    },
    InputWrapper: {
      styles: {
        label: { fontWeight: 500, marginBottom: 4 },
        description: { fontSize: '0.75rem', marginBottom: 4 },
        error: { fontSize: '0.75rem' },
      },
    },
    // Without the monospace font, which the first page would load for one key.
    Kbd: { styles: { root: { fontFamily: 'inherit' } } },
    Modal: {
      styles: { title: { fontWeight: 600 }, content: { border: '1px solid var(--tg-border)' } },
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.35 }, closeButtonProps: CLOSE },
    },
    Notification: { defaultProps: { closeButtonProps: CLOSE, withBorder: true } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show or hide the password' } },
    },
    // A select without a choice has a clear button.
    Select: { defaultProps: { allowDeselect: false } },
    Skeleton: { defaultProps: { radius: 'xs' } },
    Textarea: { defaultProps: { autosize: true, minRows: 2 } },
    Tooltip: {
      defaultProps: {
        withArrow: true,
        multiline: true,
        maw: 280,
        events: { hover: true, focus: true, touch: true },
      },
    },
  },
});
