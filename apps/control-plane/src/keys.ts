import { existsSync } from 'node:fs';
import { writeMissingSecrets } from './setup/installation-secrets.js';

// Usage: node dist/keys.js FOLDER. Writes the missing secrets of an installation as files, for Compose or
// `kubectl create secret generic tollgate --from-file=FOLDER`.

const folder = process.argv[2];
if (folder === undefined || !existsSync(folder)) {
  console.error('Name an existing folder: node dist/keys.js FOLDER');
  process.exit(1);
}
const written = writeMissingSecrets(folder);
console.log(written.length === 0 ? 'Nothing is missing.' : `Written: ${written.join(', ')}`);
