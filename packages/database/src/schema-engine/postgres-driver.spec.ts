import { expect, test } from 'vitest';
import { splitPostgresUrl, withDatabase } from './postgres-driver.js';

test('removes Prisma’s own parameters of an address and keeps those of the driver', () => {
  const { url, schema, database } = splitPostgresUrl(
    'postgresql://u:p@h:1/my%20db?schema=s&connection_limit=5&sslmode=require',
  );
  expect({ url: url.toString(), schema, database }).toEqual({
    url: 'postgresql://u:p@h:1/my%20db?sslmode=require',
    schema: 's',
    database: 'my db',
  });
});

test('keeps user and options for another database of a server', () => {
  const other = withDatabase('postgresql://u:p@h:1/a?schema=s&sslmode=require', 'b/c');
  expect(other).toBe('postgresql://u:p@h:1/b%2Fc?sslmode=require');
});
