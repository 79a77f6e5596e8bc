// A conversation that can't be continued becomes a new one, and the user is told.
import assert from 'node:assert/strict';
import { SessionManager } from 'acp-launcher';
import { acproxyAgent } from 'acp-launcher/fixtures';

const lost = '00000000-0000-4000-8000-000000000000';
await using manager = new SessionManager({ launcher: acproxyAgent() });
const notices: string[] = [];
manager.on('resume-fallback', ({ projectId, resume }) => {
  notices.push(`${projectId}: ${resume.requestedSessionId} is ${resume.status}, now ${resume.sessionId}`);
});

const { session, turn } = await manager.prompt({
  projectId: 'example',
  projectPath: '.',
  sessionId: lost,
  prompt: '继续之前的对话',
});
console.log(await turn.text());
console.log(notices.join('\n'));

const { resume } = session;
assert.ok(resume.status === 'fell-back');
assert.equal(resume.kind, 'missing');
assert.equal(resume.requestedSessionId, lost);
assert.match(resume.evidence.text, /No conversation found with session ID/);
assert.equal(notices.length, 1);
