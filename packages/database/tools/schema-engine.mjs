#!/usr/bin/env node
// The file that Prisma's CLI runs as its schema engine; see src/schema-engine/main.ts. Needs a build.
import '../dist/schema-engine/main.js';
