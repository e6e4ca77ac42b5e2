import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSchemaText } from './schema-text.js';

writeFileSync(fileURLToPath(new URL('../schema.graphql', import.meta.url)), await buildSchemaText());
