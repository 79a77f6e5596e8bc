import { describe, expect, it } from 'vitest';
import { explainExit, interpreterName } from '../../../src/process/diagnose-spawn.ts';

describe('interpreterName', () => {
  it.each([
    ['#!/bin/sh\necho', '/bin/sh'],
    ['#! /usr/bin/env node\n', '/usr/bin/env'],
    ['#!/bin/sh\r\necho', '/bin/sh\r'],
    ['#!/bin/sh', '/bin/sh'],
    ['#!\n', undefined],
    ['\x7fELF', undefined],
    ['', undefined],
  ])('%j', (beginning, name) => {
    expect(interpreterName(beginning)).toBe(name);
  });
});

describe('explainExit (B65)', () => {
  const onPath = (program: string) => `${program} was not found on the agent's PATH`;
  it.each([
    [127, 'env: ‘node’: No such file or directory\n', onPath('node')],
    [127, '/usr/bin/env: node: No such file or directory', onPath('node')],
    [127, "env: can't execute 'node': No such file or directory", onPath('node')],
    [127, 'sh: 1: claude-code: not found', onPath('claude-code')],
    [127, 'bash: line 1: codex: command not found', onPath('codex')],
    [127, 'bash: /opt/agent: No such file or directory', onPath('/opt/agent')],
    [127, 'one: not found\ntwo: not found', onPath('two')],
    [127, '', onPath('a program that it starts')],
    [126, 'sh: 1: ./agent: Permission denied', 'a program that it starts may not be executed'],
    [1, 'env: ‘node’: No such file or directory', 'node was not found'],
    [1, 'Error: spawn claude ENOENT\n  at x', 'claude was not found'],
    [2, 'sh: 0: cannot open /opt/run.sh: No such file', '/opt/run.sh was not found'],
    [1, 'cat: settings.json: No such file or directory', undefined],
    [1, '', undefined],
    [0, 'sh: 1: x: not found', undefined],
    [null, 'sh: 1: x: not found', undefined],
  ])('%s %j', (exitCode, stderr, hint) => {
    expect(explainExit({ exitCode, stderr })).toBe(hint);
  });
});
