/** The line by which a host says that it needs no guard any more; an end of input without it is the host's death. */
export const farewell = 'close\n';

/**
 * A POSIX shell script. Arguments: what the environment of our agents contains, the host's pid, its start time.
 * The names of its functions are its description; the reasons stand here:
 * - The pipe closes a little before the host is gone (and some hosts close descriptors blindly), so the host's death
 *   is looked at for up to two seconds. A host that is alive by then keeps its agents.
 * - Each signal goes to groups of which a lease holder was seen alive just before, never to a remembered number.
 * - A process in the middle of an exec shows no environment: only two empty looks mean that no agent is left.
 * - SIGKILL is preceded by SIGSTOP and another look, because a stopped process forks no more.
 */
export const guardScript = `
trap '' HUP INT TERM PIPE
lease=$1 host=$2 host_start=$3

read_stat() {
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  set -- \${stat##*) }
  state=$1 group=$3 start=\${20}
}

host_lives() { read_stat "$host" && [ "$start" = "$host_start" ] && [ "$state" != Z ]; }

agent_groups() {
  groups=
  for file in $(grep -lsF "$lease" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    read_stat "\${pid%/environ}" || continue
    [ "$state" = Z ] || [ "$group" -le 1 ] && continue
    case " $groups " in *" $group "*) ;; *) groups="$groups $group" ;; esac
  done
  [ -n "$groups" ]
}

signal_groups() { for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done; }

wait_for_agents() {
  for quarter in 1 2 3 4 5 6; do
    agent_groups || none_twice
    sleep 0.25
  done
}

none_twice() {
  sleep 0.1
  agent_groups || exit 0
}

read -r word && exit 0

for tenth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 last; do
  host_lives || break
  [ "$tenth" = last ] && exit 0
  sleep 0.1
done

wait_for_agents
agent_groups && signal_groups TERM
wait_for_agents
for round in 1 2 3 4 5 6 7 8 9 10; do
  agent_groups || none_twice
  signal_groups STOP
  agent_groups && signal_groups KILL
  sleep 0.1
done
`;
