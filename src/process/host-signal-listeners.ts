type SignalListener = (signal: NodeJS.Signals) => void;

/** Shared by all copies of this library in one process: they must not take each other for the host. */
const ours = Symbol.for('acp-launcher.host-signal-listener');

export function markAsOurs(listener: SignalListener): SignalListener {
  return Object.assign(listener, { [ours]: true });
}

function isOurs(listener: object): boolean {
  return ours in listener;
}

export function someListenerIsOurs(signal: NodeJS.Signals): boolean {
  return process.listeners(signal).some(isOurs);
}

/** Whether anybody but us (and signal-exit, which steps back when it isn't alone) handles the signal. */
export function hasForeignListener(signal: NodeJS.Signals): boolean {
  const foreign = process.listeners(signal).filter((listener) => !isOurs(listener));
  return foreign.length > signalExitListeners();
}

/**
 * Many hosts have signal-exit's listeners without knowing it: execa installs them. By its own convention, each
 * loaded copy has one listener for each signal and counts itself in a place where other copies find it.
 */
function signalExitListeners(): number {
  return (
    countIn(Reflect.get(globalThis, Symbol.for('signal-exit emitter'))) + // version 4
    countIn(Reflect.get(process, '__signal_exit_emitter__')) // version 3
  );
}

function countIn(emitter: unknown): number {
  if (typeof emitter !== 'object' || emitter === null || !('count' in emitter)) return 0;
  return typeof emitter.count === 'number' ? emitter.count : 0;
}
