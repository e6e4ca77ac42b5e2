import { StreamHub } from './stream-hub.js';

/** A SharedWorker that follows the subscriptions of all tabs of one user. Its name is the user's ID. */
const hub = new StreamHub(self.name);

addEventListener('connect', (event) => {
  for (const port of (event as MessageEvent).ports) port.onmessage = ({ data }) => hub.update(port, data);
});
