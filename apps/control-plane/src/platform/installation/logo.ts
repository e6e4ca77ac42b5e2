import { decodePng, encodePng } from './png.js';

/** A GraphQL body has at most 64 KiB. */
export const MAX_LOGO_BYTES = 32 * 1024;

const MAX_SIDE = 512;

/** A palette of 32 KB becomes at most four times larger as RGBA. */
const MAX_STORED_BYTES = 4 * MAX_LOGO_BYTES;

/**
 * Returns a PNG with the same pixels and nothing else of the given one, so that no other program reads bytes of the
 * upload. Its own results are returned unchanged.
 * @throws Error with a message for users if it is not a complete PNG of at most 512 × 512 pixels
 */
export function cleanLogo(png: Uint8Array, maxBytes = MAX_LOGO_BYTES): Buffer {
  if (png.length > maxBytes) throw new Error('The logo must have at most 32 KB.');
  const logo = encodePng(decodePng(Buffer.from(png), MAX_SIDE));
  if (logo.length > MAX_STORED_BYTES)
    throw new Error('The logo has too much detail. Save it with fewer pixels.');
  return logo;
}

/** As {@link cleanLogo}, for what earlier releases have stored as well. */
export const cleanStoredLogo = (png: Uint8Array): Buffer => cleanLogo(png, MAX_STORED_BYTES);
