import { TIME_ZONE_NAMES } from './generated/time-zone-names.js';

export interface TimeZone {
  /** Canonical, as stored: `Europe/Kyiv`. */
  readonly name: string;
  /** Other names of the same zone: `Europe/Kiev`. */
  readonly aliases: readonly string[];
}

/** All time zones, ascending by name. */
export const TIME_ZONES: readonly TimeZone[] = TIME_ZONE_NAMES.split('\n').map((line) => {
  const [name = '', ...aliases] = line.split(' ');
  return { name, aliases };
});

const canonicalNames = new Map(
  TIME_ZONES.flatMap(({ name, aliases }) => [name, ...aliases].map((known) => [known.toLowerCase(), name])),
);

/** Returns the canonical name of a zone for one of its names in any case; undefined if there is no such zone. */
export const canonicalTimeZone = (name: string): string | undefined => canonicalNames.get(name.toLowerCase());
