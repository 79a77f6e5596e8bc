import type { AgentPreset } from './presets/agent-preset.ts';

/**
 * What an agent inherits from the host by default: what a program needs to start, to find its tools and
 * files, and to reach the network. No credentials but those that a proxy URL may hold.
 * `NAME_*` stands for every name that begins with `NAME_`.
 */
export const inheritedVariables: readonly string[] = [
  // The user and the shell.
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LANGUAGE', 'LC_*', 'LOCALE_ARCHIVE', 'TZ'],
  ...['TMPDIR', 'TEMP', 'TMP', 'XDG_*'],
  // Proxies, in both spellings.
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'all_proxy',
    'no_proxy',
  ],
  'NODE_USE_ENV_PROXY',
  // Certificates.
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE'],
  ...['REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO'],
  // Where toolchains live.
  ...['JAVA_HOME', 'GOPATH', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'DOTNET_ROOT', 'ANDROID_HOME'],
  ...[
    'NVM_DIR',
    'FNM_DIR',
    'VOLTA_HOME',
    'PNPM_HOME',
    'BUN_INSTALL',
    'ASDF_DIR',
    'ASDF_DATA_DIR',
    'SDKMAN_DIR',
  ],
  ...['PYENV_ROOT', 'RBENV_ROOT', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'HOMEBREW_PREFIX', 'NIX_PROFILES'],
];

/** On Windows these as well: without `SystemRoot` a process has no network, without `PATHEXT` no commands. */
export const inheritedVariablesOnWindows: readonly string[] = [
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'OS', 'NUMBER_OF_PROCESSORS'],
  ...['PROCESSOR_ARCHITECTURE', 'USERNAME', 'USERDOMAIN', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH'],
  ...['APPDATA', 'LOCALAPPDATA', 'ALLUSERSPROFILE', 'ProgramData', 'ProgramFiles', 'ProgramFiles(x86)'],
  ...['ProgramW6432', 'CommonProgramFiles', 'CommonProgramFiles(x86)', 'CommonProgramW6432', 'PUBLIC'],
];

/**
 * What never passes by accident, not even with `inheritEnv: true`; only naming one in full lets it through.
 * Marks of a surrounding agent make a nested one refuse to work or attach to the wrong session; those of
 * Node, npm, editors and test runners change how any Node program behaves.
 */
export const withheldVariables: readonly string[] = [
  ...['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT', 'CLAUDE_CODE_EXECPATH'],
  ...['CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_SESSION_KIND', 'CLAUDE_CODE_CHILD_SESSION', 'CLAUDE_SESSION_ID'],
  ...['CLAUDE_CODE_RESUME_FROM_SESSION', 'CLAUDE_CODE_REMOTE', 'CLAUDE_CODE_REMOTE_*', 'CLAUDE_AGENT_SDK_*'],
  ...[
    'CODEX_SANDBOX',
    'CODEX_SANDBOX_*',
    'CODEX_THREAD_ID',
    'CODEX_CI',
    'GEMINI_CLI',
    'QWEN_CODE',
    'OPENCODE',
  ],
  ...[
    'OPENCODE_PID',
    'COPILOT_CLI',
    'CURSOR_AGENT',
    'CURSOR_TRACE_ID',
    'CLINE_ACTIVE',
    'AUGMENT_AGENT',
    'AI_AGENT',
  ],
  'ACP_LAUNCHER_*',
  ...[
    'NODE_OPTIONS',
    'NODE_CHANNEL_FD',
    'NODE_CHANNEL_SERIALIZATION_MODE',
    'NODE_UNIQUE_ID',
    'NODE_V8_COVERAGE',
  ],
  ...['NODE_TEST_CONTEXT', 'npm_*', 'INIT_CWD', 'PNPM_SCRIPT_SRC_DIR', 'BERRY_BIN_FOLDER'],
  ...['ELECTRON_*', 'VSCODE_*', 'ZED_*', 'VITEST', 'VITEST_*', 'JEST_WORKER_ID', 'TSX_*'],
];

/** Whether the name is in a list of names and `PREFIX_*` patterns. */
export function matchesAny(name: string, patterns: readonly string[], platform: NodeJS.Platform): boolean {
  const spelled = (text: string) => (platform === 'win32' ? text.toUpperCase() : text);
  const wanted = spelled(name);
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? wanted.startsWith(spelled(pattern.slice(0, -1))) : wanted === spelled(pattern),
  );
}

/** Whether a variable is of the kind that every process inherits, and therefore no secret. */
export const isAlwaysInherited = (name: string) =>
  matchesAny(
    name,
    inheritedVariables.filter((pattern) => !/proxy/i.test(pattern)),
    'win32',
  );

export interface InheritanceRules {
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  readonly preset?: AgentPreset | undefined;
  readonly hasModelProvider: boolean;
  readonly platform: NodeJS.Platform;
}

/** Whether the host's variable of this name reaches the agent. The first rule that says something decides. */
export function isInherited(name: string, rules: InheritanceRules): boolean {
  const { inheritEnv, preset, platform } = rules;
  if (inheritEnv === false) return false;
  const named = Array.isArray(inheritEnv) ? (inheritEnv as readonly string[]) : [];
  const matches = (patterns: readonly string[]) => matchesAny(name, patterns, platform);
  if (matches(named.filter((pattern) => !pattern.endsWith('*')))) return true;
  if (matches(withheldVariables)) return false;
  if (matches(named)) return true;
  if (preset && matches([preset.commandVariable ?? [], preset.stateVariables].flat())) return true;
  if (preset && matches(preset.vendorVariables)) return !rules.hasModelProvider;
  if (inheritEnv === true || matches(inheritedVariables)) return true;
  return platform === 'win32' && matches(inheritedVariablesOnWindows);
}
