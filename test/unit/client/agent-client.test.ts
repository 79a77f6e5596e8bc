import type { RequestPermissionRequest, SessionNotification } from '@agentclientprotocol/sdk';
import { expect, expectTypeOf, test } from 'vitest';
import type { AgentClient, ClientContext } from '../../../src/client/agent-client.ts';
import { localTerminals } from '../../../src/client/local-terminals.ts';
import { approveReads } from '../../../src/client/permissions.ts';
import { workspaceFiles } from '../../../src/client/workspace-files.ts';
import { temporaryDirectory } from './temporary-directory.ts';

test('the ready-made parts spread into one client, and none hides a part of another', () => {
  const roots = [temporaryDirectory()];
  const client: AgentClient = {
    requestPermission: approveReads(),
    ...workspaceFiles({ roots }),
    ...localTerminals({ roots }),
  };
  expect(Object.keys(client).sort()).toEqual([
    'closeSession',
    'createTerminal',
    'killTerminal',
    'readTextFile',
    'releaseTerminal',
    'requestPermission',
    'terminalOutput',
    'waitForTerminalExit',
    'writeTextFile',
  ]);
});

test('handlers are typed by the method that they serve', () => {
  const client: AgentClient = {
    requestPermission: (params, context) => {
      expectTypeOf(params).toEqualTypeOf<RequestPermissionRequest>();
      expectTypeOf(context).toEqualTypeOf<ClientContext>();
      return { outcome: { outcome: 'cancelled' } };
    },
    sessionUpdate: (notification, { phase }) => {
      expectTypeOf(notification).toEqualTypeOf<SessionNotification>();
      expectTypeOf(phase).toEqualTypeOf<'turn' | 'outside' | 'replay'>();
    },
  };
  expect(client.readTextFile).toBeUndefined();
  expectTypeOf(workspaceFiles).returns.not.toHaveProperty('createTerminal');
});
