import { describe, expect, it, test } from 'vitest';
import {
  inheritedVariables,
  inheritedVariablesOnWindows,
  isInherited,
  withheldVariables,
} from '../../../src/config/inherited-variables.ts';

/** Written out once more on purpose: what reaches an agent by default must not change unnoticed. */
const pinned = `
PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE LC_* LOCALE_ARCHIVE TZ TMPDIR TEMP TMP XDG_*
HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy NODE_USE_ENV_PROXY
NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA SSL_CERT_FILE SSL_CERT_DIR NIX_SSL_CERT_FILE
REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO
JAVA_HOME GOPATH GOROOT CARGO_HOME RUSTUP_HOME DOTNET_ROOT ANDROID_HOME
NVM_DIR FNM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL ASDF_DIR ASDF_DATA_DIR SDKMAN_DIR
PYENV_ROOT RBENV_ROOT VIRTUAL_ENV CONDA_PREFIX HOMEBREW_PREFIX NIX_PROFILES
`;
const pinnedOnWindows = `
SystemRoot SystemDrive windir ComSpec PATHEXT OS NUMBER_OF_PROCESSORS
PROCESSOR_ARCHITECTURE USERNAME USERDOMAIN USERPROFILE HOMEDRIVE HOMEPATH
APPDATA LOCALAPPDATA ALLUSERSPROFILE ProgramData ProgramFiles ProgramFiles(x86)
ProgramW6432 CommonProgramFiles CommonProgramFiles(x86) CommonProgramW6432 PUBLIC
`;
const words = (text: string) => text.trim().split(/\s+/);

test('B63: the allow-list, literally', () => {
  expect(inheritedVariables).toStrictEqual(words(pinned));
  expect(inheritedVariablesOnWindows).toStrictEqual(words(pinnedOnWindows));
});

describe('isInherited', () => {
  const rules = { hasModelProvider: false, platform: 'linux' as NodeJS.Platform };

  it.each(['PATH', 'LC_TIME', 'LC_', 'XDG_CONFIG_HOME', 'no_proxy', 'SSL_CERT_FILE'])('%s passes', (name) => {
    expect(isInherited(name, rules)).toBe(true);
  });

  it.each([
    ...['Path', 'LC', 'DATABASE_URL', 'AWS_SECRET_ACCESS_KEY', 'SSH_AUTH_SOCK', 'GITHUB_TOKEN', 'NODE_ENV'],
    ...['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'SystemRoot', 'NODE_TLS_REJECT_UNAUTHORIZED', 'LD_PRELOAD'],
  ])('%s does not', (name) => {
    expect(isInherited(name, rules)).toBe(false);
  });

  const markers = [
    ...['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT', 'CLAUDE_AGENT_SDK_VERSION'],
    ...['NODE_OPTIONS', 'npm_config_user_agent', 'npm_lifecycle_event', 'INIT_CWD', 'VSCODE_PID'],
    ...[
      'ELECTRON_RUN_AS_NODE',
      'VITEST',
      'VITEST_WORKER_ID',
      'JEST_WORKER_ID',
      'CODEX_SANDBOX',
      'GEMINI_CLI',
    ],
    ...['ACP_LAUNCHER_LEASE', 'NODE_CHANNEL_FD', 'NODE_V8_COVERAGE'],
  ];
  it.each(markers)('B61: %s passes by its full name alone', (name) => {
    expect(isInherited(name, { ...rules, inheritEnv: true })).toBe(false);
    expect(isInherited(name, { ...rules, inheritEnv: [`${name.slice(0, -1)}*`] })).toBe(false);
    expect(isInherited(name, { ...rules, inheritEnv: [name] })).toBe(true);
  });

  it('takes nothing that is inherited for withheld', () => {
    const names = inheritedVariables.filter((name) => !name.endsWith('*'));
    expect(names.filter((name) => !isInherited(name, rules))).toEqual([]);
    expect(withheldVariables).not.toContain('PATH');
  });

  it('knows the essentials of Windows in any spelling', () => {
    const windows = { ...rules, platform: 'win32' as const };
    expect(['Path', 'SYSTEMROOT', 'ComSpec', 'programfiles(x86)'].every((n) => isInherited(n, windows))).toBe(
      true,
    );
    expect(isInherited('Npm_Config_X', { ...windows, inheritEnv: true })).toBe(false);
  });
});
