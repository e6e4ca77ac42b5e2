import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findRawTexts } from './raw-texts.mjs';

const CONSOLE = path.resolve(import.meta.dirname, '../../apps/console/src');

it('finds what stands between tags and in attributes that are read, and nothing else', () => {
  const source = `const A = () => <p title="Say it" className="a b" aria-label={on ? 'Stop it' : t('go')}>
    Some text <b>{t('key')}</b> Tollgate – {count}
  </p>;`;
  expect(findRawTexts(source)).toEqual(['1: Say it', '1: Stop it', '2: Some text', '2: Tollgate –']);
});

it('every text of the console is in the table of messages of its part', () => {
  const raw = globSync('**/*.tsx', { cwd: CONSOLE, exclude: ['explorer/**', 'generated/**'] }).flatMap(
    (file) => findRawTexts(readFileSync(path.join(CONSOLE, file), 'utf8')).map((text) => `${file}:${text}`),
  );
  expect(raw).toEqual([]);
});
