import { describe, expect, it } from 'vitest';
import { AgentSeats, type SeatHolder } from '../../../src/manager/agent-seats.ts';
import { deferred } from '../../../src/internal/deferred.ts';

const { signal } = new AbortController();

class Project implements SeatHolder {
  readonly projectId: string;
  idle: number | undefined;
  stops = 0;
  readonly #seats: AgentSeats;
  /** What a stop waits for. */
  gate: Promise<unknown> = Promise.resolve();

  constructor(seats: AgentSeats, projectId: string, idle?: number) {
    this.#seats = seats;
    this.projectId = projectId;
    this.idle = idle;
  }

  idleMs(): number | undefined {
    return this.idle;
  }

  async stopIfIdle(): Promise<void> {
    this.stops += 1;
    await this.gate;
    if (this.idle !== undefined) this.#seats.leave(this);
  }
}

describe('seats for agents', () => {
  it('are taken while there are some, and kept', async () => {
    const seats = new AgentSeats(1);
    const a = new Project(seats, 'a');
    await seats.take(a, signal);
    await seats.take(a, signal);
    await expect(seats.take(new Project(seats, 'b'), signal)).rejects.toMatchObject({
      code: 'too-many-agents',
    });
    seats.leave(a);
    await seats.take(new Project(seats, 'b'), signal);
  });

  it('are given up by whoever has been idle for the longest time', async () => {
    const seats = new AgentSeats(3);
    const [a, b, c] = [new Project(seats, 'a', 10), new Project(seats, 'b', 30), new Project(seats, 'c')];
    for (const project of [a, b, c]) await seats.take(project, signal);
    await seats.take(new Project(seats, 'd'), signal);
    expect([a.stops, b.stops, c.stops]).toEqual([0, 1, 0]);
  });

  it('two that come at once stop two, and never more live than may', async () => {
    const seats = new AgentSeats(2);
    const gate = deferred<void>();
    const [a, b] = [new Project(seats, 'a', 10), new Project(seats, 'b', 30)];
    for (const project of [a, b]) {
      project.gate = gate.promise;
      await seats.take(project, signal);
    }
    const taken: string[] = [];
    const taking = ['c', 'd'].map((id) =>
      seats.take(new Project(seats, id), signal).then(() => taken.push(id)),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toEqual([]);
    gate.resolve();
    await Promise.all(taking);
    expect([a.stops, b.stops]).toEqual([1, 1]);
    await expect(seats.take(new Project(seats, 'e'), signal)).rejects.toMatchObject({
      code: 'too-many-agents',
    });
  });

  it('are no reason to end a turn that began meanwhile', async () => {
    const seats = new AgentSeats(1);
    const a = new Project(seats, 'a', 10);
    const gate = deferred<void>();
    a.gate = gate.promise;
    await seats.take(a, signal);
    const taking = seats.take(new Project(seats, 'b'), signal);
    a.idle = undefined;
    gate.resolve();
    await expect(taking).rejects.toMatchObject({ code: 'too-many-agents' });
  });

  it('are waited for no longer than the signal', async () => {
    const seats = new AgentSeats(1);
    const a = new Project(seats, 'a', 10);
    a.gate = new Promise(() => undefined);
    await seats.take(a, signal);
    const controller = new AbortController();
    const taking = seats.take(new Project(seats, 'b'), controller.signal);
    controller.abort();
    await expect(taking).rejects.toMatchObject({ code: 'aborted' });
    await expect(new AgentSeats(1).take(a, controller.signal)).rejects.toMatchObject({ code: 'aborted' });
  });
});
