export interface TreeScenario {
  /** `sh -c` text of the leader. The process that makes the scenario complete prints a line. */
  readonly script: string;
  /** Whether the leader ends by itself, before anybody terminates the tree. */
  readonly leaderExits?: boolean;
  /** Milliseconds between the scenario being in place and `terminate`. */
  readonly delayMs?: number;
  readonly endedBy: string;
}

const sleeper = 'echo ready; exec sleep 1000';

/** What agents do with their processes, in a few lines of shell each. */
export const treeScenarios = {
  'B44 leaves when stdin ends': {
    script: 'echo ready; cat > /dev/null',
    endedBy: 'stdin-end',
  },
  'B44 ignores the end of stdin': {
    script: sleeper,
    endedBy: 'SIGTERM',
  },
  'B44 B46 ignores SIGTERM': {
    script: "trap '' TERM; echo ready; while :; do sleep 1; done",
    endedBy: 'SIGKILL',
  },
  'B45 saves for 100 ms on SIGTERM': {
    script: "trap 'sleep 0.1; exit 0' TERM; echo ready; while :; do sleep 0.02; done",
    endedBy: 'SIGTERM',
  },
  'B43 wrapper shells that forward nothing': {
    script: `sh -c 'sh -c "${sleeper}"; :'; :`,
    endedBy: 'SIGTERM',
  },
  'B43 wrapper around an agent that ignores SIGTERM': {
    script: `sh -c "trap '' TERM; echo ready; while :; do sleep 1; done"; :`,
    endedBy: 'SIGKILL',
  },
  'a double fork into a session of its own': {
    script: `( ( setsid sh -c '${sleeper}' & ) & ); cat > /dev/null`,
    endedBy: 'SIGTERM',
  },
  'X05 a setsid child of a dead leader holds the pipes': {
    script: `setsid sh -c '${sleeper}' & exit 3`,
    leaderExits: true,
    endedBy: 'SIGTERM',
  },
  'a child without environment in the group of a leader that exited long ago': {
    script: `env -i sh -c '${sleeper}' & exit 1`,
    leaderExits: true,
    // Longer than a session is remembered: only what the exit handler saw can identify the child now.
    delayMs: 1_300,
    endedBy: 'SIGTERM',
  },
  'a child without environment in a session of its own, its parent alive': {
    script: `env -i setsid sh -c '${sleeper}' & cat > /dev/null`,
    endedBy: 'SIGTERM',
  },
  'a session forked on SIGTERM': {
    script: "trap 'setsid sleep 1000 & exit 0' TERM; echo ready; while :; do sleep 0.02; done",
    endedBy: 'SIGKILL',
  },
  'twenty sessions forked on SIGTERM': {
    script: `trap 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do setsid sleep 1000 & done; exit 0' TERM
      echo ready; while :; do sleep 0.02; done`,
    endedBy: 'SIGKILL',
  },
  'a leader that ignores SIGTERM and goes on forking sessions': {
    script: `trap '' TERM; echo ready; while :; do setsid sleep 1000 & sleep 0.02; done`,
    endedBy: 'SIGKILL',
  },
  'a tree that was stopped': {
    script: 'sh -c "echo ready; kill -STOP 0"; :',
    endedBy: 'SIGKILL',
  },
  'X10 children that nobody reaps': {
    script: `sleep 0.01 & sleep 0.02 & ${sleeper}`,
    endedBy: 'SIGTERM',
  },
} satisfies Record<string, TreeScenario>;

export type TreeScenarioName = keyof typeof treeScenarios;
