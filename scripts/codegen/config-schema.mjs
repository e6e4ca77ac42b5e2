import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configJsonSchema } from '../../packages/contracts/dist/index.js';

// Writes the JSON Schema of `tollgate config` files, for editors.

const file = fileURLToPath(new URL('../../packages/cli/config.schema.json', import.meta.url));
writeFileSync(file, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
