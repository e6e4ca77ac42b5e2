/** CRC16 (XMODEM) by byte. */
const CRC16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0);
  return crc;
});

const LAST_SLOT = 16_383;

/** Hash tag at the start of our keys, with braces; undefined for other keys. */
export function tagOf(key: string): string | undefined {
  const end = key.charCodeAt(0) === 0x7b ? key.indexOf('}') : -1;
  return end > 1 ? key.slice(0, end + 1) : undefined;
}

/** 0 to 16383, for any key. Not cached: a cache of 100,000 tags takes twenty times as long. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open);
  const [start, end] = close > open + 1 ? [open + 1, close] : [0, key.length];
  let [crc, highest] = [0, 0];
  for (let i = start; i < end; i++) {
    const code = key.charCodeAt(i);
    highest |= code;
    crc = next(crc, code);
  }
  if (highest > 127) crc = Buffer.from(key.slice(start, end)).reduce(next, 0);
  return crc & LAST_SLOT;
}

function next(crc: number, byte: number): number {
  return ((crc << 8) ^ (CRC16[((crc >> 8) ^ byte) & 0xff] as number)) & 0xffff;
}
