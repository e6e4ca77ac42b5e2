// Writes one generation of the last good policy after the other, and says which one is on disk, until it is killed.
// Usage: node last-good-writer.ts <file> <signing key> <first revision> <tenants>

import { LastGoodFile } from '@tollgate/decision-plane/testing';
import { PolicySigner } from '@tollgate/policy';
import { generationOf } from './last-good-policy.ts';

const [path = '', signingKey = '', first = '1', tenants = '1'] = process.argv.slice(2);
const file = new LastGoodFile(path);
const signer = new PolicySigner(signingKey);
for (let revision = Number(first); ; revision++) {
  await file.write(generationOf(signer, revision, Number(tenants)));
  process.stdout.write(`${revision}\n`);
}
