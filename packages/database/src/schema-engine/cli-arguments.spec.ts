import { expect, test } from 'vitest';
import { parseEngineArguments } from './cli-arguments.js';
import { splitPostgresUrl, withDatabase } from './postgres-driver.js';

test('the arguments of Prisma’s CLI are understood, and those without a meaning here are skipped', () => {
  const datasource = JSON.stringify({ url: 'postgresql://a/b', shadowDatabaseUrl: 'postgresql://a/s' });
  const argv = ['--datasource', datasource, '-d', 'one.prisma', '--datamodels', 'two.prisma'];
  const ignored = ['--enabled-preview-features', 'x', '--extension-types', '[]'];
  expect(parseEngineArguments([...argv, ...ignored, 'cli', 'create-database'])).toEqual({
    version: false,
    url: 'postgresql://a/b',
    shadowUrl: 'postgresql://a/s',
    schemaPaths: ['one.prisma', 'two.prisma'],
    subcommand: 'create-database',
  });
});

test('an address loses Prisma’s own parameters and keeps the driver’s', () => {
  const { url, schema, database } = splitPostgresUrl(
    'postgresql://u:p@h:1/my%20db?schema=s&connection_limit=5&sslmode=require',
  );
  expect({ url: url.toString(), schema, database }).toEqual({
    url: 'postgresql://u:p@h:1/my%20db?sslmode=require',
    schema: 's',
    database: 'my db',
  });
});

test('another database on the same server keeps user and options', () => {
  const other = withDatabase('postgresql://u:p@h:1/a?schema=s&sslmode=require', 'b/c');
  expect(other).toBe('postgresql://u:p@h:1/b%2Fc?sslmode=require');
});
