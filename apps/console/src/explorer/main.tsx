import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './explorer.css';
import type { IntrospectionQuery } from 'graphql';
import { buildClientSchema } from 'graphql';
import { createRoot } from 'react-dom/client';
import { Explorer } from './explorer.js';

const root = document.getElementById('root');
if (!root) throw new Error('explorer.html has no #root');

// Not asked of /graphql: introspection may be off there.
const response = await fetch('/graphql/explorer/schema.json');
if (response.ok) {
  const schema = buildClientSchema((await response.json()) as IntrospectionQuery);
  createRoot(root).render(<Explorer schema={schema} />);
} else {
  root.textContent = 'The schema could not be read. Sign in to the console, then load this page again.';
}
