// Faults at single system calls of a store that writes: the process dies at one, or the disk says no.
import { waitFor } from '../world.ts';
import { type Fault, revive, type Stage } from './fault.ts';
import { goesOnByItself } from './no-room.ts';
import { healAndRestart } from './read-only-store.ts';
import { attach, cannotTrace, type Injection, injecting } from './tracer.ts';

/** What a commit calls. */
const writing = ['pwrite64', 'fdatasync'] as const;
/** What a start, a stop and a snapshot call besides. */
const turning = ['pwrite64', 'fdatasync', 'fsync', 'rename', 'openat', 'unlink', 'ftruncate'] as const;

export const killedAtWrite: Fault = {
  name: 'kill -9 at a system call of a write',
  missing: cannotTrace,
  inject: async (stage) => {
    const { world, dice } = stage;
    const injection: Injection = { call: dice.of(writing), fault: 'signal=KILL', when: 1 + dice.below(40) };
    const detach = await attach(world.life().pid, injection);
    const died = await waitFor(() => world.life().hasEnded());
    if (died === undefined) world.blame(`nothing called ${injection.call} ${injection.when} times`);
    await detach();
    await world.end('SIGKILL');
    stage.note(`at ${injection.call}`);
    return revive(stage, `after a kill at ${injection.call}`);
  },
};

export const killedAtStop: Fault = {
  name: 'kill -9 at a system call of a stop',
  missing: cannotTrace,
  inject: async (stage) => {
    const { world, dice } = stage;
    const injection: Injection = { call: dice.of(turning), fault: 'signal=KILL', when: 1 + dice.below(3) };
    const detach = await attach(world.life().pid, injection);
    // Where it stops without so many calls, it simply stops.
    await world.end('SIGTERM');
    await detach();
    return revive(stage, `after a kill at ${injection.call} while it stopped`);
  },
};

export const killedAtStartCall: Fault = {
  name: 'kill -9 at a system call of a start',
  missing: cannotTrace,
  inject: async (stage) => {
    const { world, dice, load } = stage;
    await world.end('SIGKILL');
    await load.pause();
    const injection: Injection = { call: dice.of(turning), fault: 'signal=KILL', when: 1 + dice.below(3) };
    // As a grandchild, so that the process is the server itself.
    const attempt = world.attempt({ under: ['strace', '-D', ...injecting(injection)] });
    const isOver = () => attempt.child.exitCode !== null || attempt.child.signalCode !== null;
    await waitFor(() => isOver() || / on http:/.test(attempt.output().stdout));
    attempt.child.kill('SIGKILL');
    await attempt.ended;
    return revive(stage, `after a kill at ${injection.call} while it started`);
  },
};

/** A sync that failed may have lost what it was for: the store takes nothing more until it is started again. */
export const failedSync: Fault = {
  name: 'a failed fdatasync (EIO)',
  missing: cannotTrace,
  inject: async (stage) => {
    const injection: Injection = { call: 'fdatasync', fault: 'error=EIO', when: 1 + stage.dice.below(20) };
    const detach = await attach(stage.world.life().pid, injection);
    return healAndRestart(stage, failedSync.name, detach);
  },
};

/** What a failed write left is cut off. */
export const failedWrite = refusing('failed writes (EIO)', 'error=EIO');

/** No write finds room, not even that of the reserve. */
export const noSpace = refusing('no space for a write (ENOSPC)', 'error=ENOSPC');

/** The disk takes no writes for a while. */
function refusing(name: string, fault: Injection['fault']): Fault {
  return {
    name,
    missing: cannotTrace,
    inject: async (stage: Stage) => {
      const when = 1 + stage.dice.below(20);
      const detach = await attach(stage.world.life().pid, { call: 'pwrite64', fault, when, andAfter: true });
      return goesOnByItself(stage, name, detach);
    },
  };
}
