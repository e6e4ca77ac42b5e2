import '@fontsource-variable/geist/index.css';
import '@fontsource-variable/geist-mono/index.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import 'uplot/dist/uPlot.min.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { recoverFocus } from './app/focus-recovery.js';
import { Providers } from './app/providers.js';

recoverFocus();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <Providers />
  </StrictMode>,
);
