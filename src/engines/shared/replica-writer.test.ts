import { expect, it } from 'vitest';
import type { RecordChanges, RecordHead, RecordTurn, SharedRecord } from '../shared-record.ts';
import type { Follower } from './follower.ts';
import { ReplicaWriter } from './replica-writer.ts';

const headOf = (seq: number): RecordHead => ({ record: 'r', epoch: 'e', seq, tip: `${seq}:x`, purged: 0, keys: '' });
const NOTHING: RecordChanges = {};

/** A writer over a record that gives out numbered turns, one after the other. `steps` says what happened in which. */
function writerOf() {
  const steps: string[] = [];
  let turns = 0;
  let before: Promise<unknown> = Promise.resolve();
  const record = {
    inTurn<T>(work: (turn: RecordTurn) => Promise<T>): Promise<T> {
      const next = before.then(async () => {
        const turn = ++turns;
        const write = async () => {
          steps.push(`write in turn ${turn}`);
          return headOf(turn);
        };
        steps.push(`turn ${turn} begins`);
        const result = await work({ head: headOf(turn - 1), write });
        steps.push(`turn ${turn} ends`);
        return result;
      });
      before = next.catch(() => undefined);
      return next;
    },
  } as Partial<SharedRecord> as SharedRecord;
  const follower = {
    checkWritable: () => undefined,
    catchUpTo: async ({ seq }: RecordHead) => void steps.push(`caught up to ${seq}`),
    applyOwn: async () => undefined,
  } as Partial<Follower> as Follower;
  const writer = new ReplicaWriter(record, follower);
  const write = () => writer.inTurn(() => writer.write(NOTHING, { embedders: undefined } as never));
  return { steps, writer, write };
}

it('writes inside of a turn are of that turn', async () => {
  const { steps, writer, write } = writerOf();
  await writer.inTurn(async () => {
    await write();
    await write();
  });
  expect(steps).toEqual(['turn 1 begins', 'caught up to 0', 'write in turn 1', 'write in turn 1', 'turn 1 ends']);
});

it('work that a turn left behind takes a turn of its own, after what others wrote in between', async () => {
  const { steps, writer, write } = writerOf();
  let goOn = () => {};
  const later = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let leftBehind: Promise<void> = Promise.resolve();
  await writer.inTurn(async () => {
    leftBehind = later.then(write);
  });
  await write();
  goOn();
  await leftBehind;
  expect(steps.slice(-4)).toEqual(['turn 3 begins', 'caught up to 2', 'write in turn 3', 'turn 3 ends']);
});

it('so does work that was left behind by a turn that failed', async () => {
  const { steps, writer, write } = writerOf();
  let goOn = () => {};
  const later = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let leftBehind: Promise<void> = Promise.resolve();
  const failing = writer.inTurn(async () => {
    leftBehind = later.then(write);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  goOn();
  await leftBehind;
  expect(steps).toContain('write in turn 2');
});
