import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../run/root.mjs';

export const PACKAGES = path.join(ROOT, 'packages');

/** A package's manifest. */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

/** What a package exports: subpath (`.`, `./testing`) → the source's full path. */
export function entryPointsOf(folder) {
  const { exports } = manifestOf(folder);
  return mapValues(exports, (conditions) => path.join(folder, conditions['tollgate:source']));
}

/** @template T, U @param {Record<string, T>} record @param {(value: T, key: string) => U} map @returns {Record<string, U>} */
export function mapValues(record, map) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
