// One runner process: a manager on a shared store. Prints a JSON line for each thing that a test wants to know.
import KeyvRedis from '@keyv/redis';
import Keyv from 'keyv';
import type { AgentCommandLine } from '../../../../fixtures/index.ts';
import { fileSessionStore, SessionManager, type SessionStore } from '../../../../src/index.ts';

export interface RunnerOrder {
  readonly store: { readonly folder: string } | { readonly redis: string };
  readonly agent: AgentCommandLine;
  readonly projectPath: string;
  readonly prompts: readonly string[];
}

const order = JSON.parse(process.argv[2] ?? '') as RunnerOrder;
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

function openStore(): SessionStore {
  if ('folder' in order.store) return fileSessionStore(order.store.folder);
  const keyv = new Keyv({ store: new KeyvRedis(order.store.redis), throwOnErrors: true });
  keyv.on('error', () => undefined);
  return keyv;
}

const manager = new SessionManager({ launcher: order.agent, store: openStore() });
manager.on('session-update', ({ phase }) => void tell({ update: phase }));
for (const prompt of order.prompts) {
  const { session, turn } = await manager.prompt({ projectId: 'p1', projectPath: order.projectPath, prompt });
  tell({ session: session.sessionId, resume: session.resume.status, agentPid: session.connection.pid });
  tell({ answer: await turn.text() });
}
await manager.shutdown();
tell({ done: true });
// The connection to Redis would keep the process.
process.exit(0);
