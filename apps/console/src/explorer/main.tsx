import 'graphiql/style.css';
import './explorer.css';
import { buildSchema } from 'graphql';
import { createRoot } from 'react-dom/client';
import { Explorer } from './explorer.js';

const root = document.getElementById('root');
if (!root) throw new Error('explorer.html has no #root');

// Introspection requires a token.
const response = await fetch('/schema.graphql');
if (response.ok) {
  const schema = buildSchema(await response.text());
  createRoot(root).render(<Explorer schema={schema} />);
} else {
  root.textContent = 'The schema could not be read. Sign in to the console, then load this page again.';
}
