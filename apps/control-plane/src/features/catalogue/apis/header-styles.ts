import { DEFAULT_HEADER_STYLES, HEADER_STYLES, type HeaderStyle as WireStyle } from '@tollgate/contracts';
import type { HeaderStyle } from '../../../platform/prisma/schema.js';

/** As nodes and configurations write them: always in one order. */
export function toWireStyles(styles: readonly HeaderStyle[]): WireStyle[] {
  return HEADER_STYLES.filter((style) => styles.includes(fromWireStyle(style)));
}

/** As the database and GraphQL have them: always in one order. Left out: what an API has that says nothing else. */
export function fromWireStyles(styles: readonly WireStyle[] = DEFAULT_HEADER_STYLES): HeaderStyle[] {
  return HEADER_STYLES.filter((style) => styles.includes(style)).map(fromWireStyle);
}

/** Whether an API says nothing else. */
export function isDefaultStyles(styles: readonly HeaderStyle[]): boolean {
  return toWireStyles(styles).join() === DEFAULT_HEADER_STYLES.join();
}

function fromWireStyle(style: WireStyle): HeaderStyle {
  return style.toUpperCase().replace('-', '_') as HeaderStyle;
}
