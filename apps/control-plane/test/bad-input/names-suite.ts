import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.js';

/** Valid keys and names, and their uniqueness. */
export function describeBadNames(app: () => TestApp): void {
  describe('names', () => {
    const HOSTILE_KEYS = [
      '',
      'A',
      '-a',
      'a-',
      'a b',
      'a:b',
      'a{b}',
      'ä',
      'a\u0001',
      '__proto__',
      'a'.repeat(49),
      '../etc',
    ];

    it.each(HOSTILE_KEYS)('key %j is rejected at each creation', async (key) => {
      for (const mutation of [
        'mutation($key: String!) { result: apiCreate(input: { key: $key, name: "X" }) { userErrors { code field } } }',
        'mutation($key: String!) { result: tierCreate(input: { key: $key, name: "X" }) { userErrors { code field } } }',
        'mutation($key: String!) { result: tenantCreate(input: { key: $key, name: "X", tierKey: "basic" }) { userErrors { code field } } }',
      ]) {
        const { data } = await app().graphql(mutation, { key });
        expect(data.result.userErrors[0]).toEqual({ code: 'INVALID', field: ['key'] });
      }
    });

    it.each(HOSTILE_KEYS)('key %j is not found', async (key) => {
      const { data, errors } = await app().graphql(
        'query($k: String!) { api(key: $k) { id } tier(key: $k) { id } tenant(key: $k) { id } }',
        { k: key },
      );
      expect(errors).toEqual([]);
      expect(data).toEqual({ api: null, tier: null, tenant: null });
    });

    it.each(['', '   ', 'a\u0001b', 'a\nb', 'a\u202eb', 'x'.repeat(81)])(
      'display name %j is rejected',
      async (name) => {
        const { data } = await app().graphql(
          'mutation($name: String!) { apiCreate(input: { key: "fine", name: $name }) { userErrors { code field } } }',
          { name },
        );
        expect(data.apiCreate.userErrors).toEqual([{ code: 'INVALID', field: ['name'] }]);
      },
    );

    it('a name that documents do not print may have any character, and is stored unchanged', async () => {
      const name = 'Überlingen 東京 🛡';
      const { data } = await app().graphql(
        'mutation($name: String!) { apiCreate(input: { key: "scripts", name: $name }) { api { name } userErrors { code } } }',
        { name },
      );
      expect(data.apiCreate).toEqual({ api: { name }, userErrors: [] });
    });

    it.each([
      ['tenantCreate', 'key: "emoji", name: "Acme 🚀", tierKey: "basic"', 'name', '“🚀”'],
      ['tenantUpdate', 'tenantKey: "acme", expectedVersion: 1, name: "ሰ"', 'name', '“ሰ”'],
      ['installationUpdate', 'expectedVersion: 1, productName: "Acme 🚀"', 'productName', '“🚀”'],
      ['installationUpdate', 'expectedVersion: 1, companyName: "ሰ"', 'companyName', '“ሰ”'],
      ['installationUpdate', 'expectedVersion: 1, invoiceNote: "ሰ"', 'invoiceNote', '“ሰ”'],
      ['billingDetailsSet', 'tenantKey: "acme", expectedVersion: 0, name: "ሰ"', 'name', '“ሰ”'],
      ['billingDetailsSet', 'tenantKey: "acme", expectedVersion: 0, address: "1 ሰ"', 'address', '“ሰ”'],
      ['invoiceMarkPaid', 'number: 1, reference: "ሰ"', 'reference', '“ሰ”'],
      ['offerUpdate', 'offerKey: "pack", expectedVersion: 1, name: "Pack 🚀"', 'name', '“🚀”'],
    ])('%s(%s) is rejected at %s: documents cannot print it', async (mutation, input, field, character) => {
      const query = `mutation { result: ${mutation}(input: { ${input} }) { userErrors { code field message } } }`;
      const { data } = await app().graphql(query);
      expect(data.result.userErrors).toEqual([
        {
          ...{ code: 'INVALID', field: [field] },
          message: expect.stringContaining(`Invoices and receipts cannot print ${character}. Use Latin,`),
        },
      ]);
    });

    it.each([
      'apiCreate(input: { key: "shop", name: "Again" })',
      'tierCreate(input: { key: "basic", name: "Again" })',
      'tenantCreate(input: { key: "acme", name: "Again", tierKey: "basic" })',
      'operationCreate(input: { apiKey: "shop", name: "buy", expectedVersion: 3 })',
    ])('%s is TAKEN', async (mutation) => {
      const { data } = await app().graphql(`mutation { result: ${mutation} { userErrors { code } } }`);
      expect(data.result.userErrors).toEqual([{ code: 'TAKEN' }]);
    });

    it('of two concurrent creations with one name, one succeeds', async () => {
      const query =
        'mutation { result: apiCreate(input: { key: "race", name: "Race" }) { userErrors { code } } }';
      const answers = await Promise.all(Array.from({ length: 5 }, () => app().graphql(query)));
      expect(answers.filter(({ data }) => data.result.userErrors.length === 0)).toHaveLength(1);
    });
  });
}
