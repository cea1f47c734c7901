import { useEffect, useRef, useState } from 'preact/hooks';
import { toFailure, upload } from '../data/api.ts';
import { things } from '../data/words.ts';
import type { ChosenFile } from './dropped-files.ts';

/** A file on its way into a collection. */
export interface Upload {
  readonly path: string;
  readonly state: 'waiting' | 'sending' | 'reading' | 'storing' | 'done' | 'failed';
  readonly text: string;
}

export interface Uploads {
  readonly uploads: readonly Upload[];
  readonly isRunning: boolean;
  readonly send: (files: readonly ChosenFile[]) => void;
}

/** Sends files one after the other: the server reads them one after the other, too. */
export function useUploads(collection: string, onStored: () => void): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const queue = useRef<{ readonly at: number; readonly chosen: ChosenFile }[]>([]);
  const count = useRef(0);
  const isRunning = useRef(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);

  const show = (at: number, change: Partial<Upload>) =>
    setUploads((all) => all.map((one, i) => (i === at ? { ...one, ...change } : one)));

  const work = async () => {
    if (isRunning.current) return;
    isRunning.current = true;
    for (let next = queue.current.shift(); next !== undefined; next = queue.current.shift()) {
      const { at, chosen } = next;
      const { path, file: bytes } = chosen;
      try {
        show(at, { state: 'sending', text: 'Sending' });
        for await (const step of upload(collection, { path, bytes }, stop.current.signal)) {
          if (step.type === 'received') show(at, { state: 'reading', text: 'Reading' });
          else if (step.type === 'read') show(at, { state: 'storing', text: `Storing ${foundText(step)}` });
          else show(at, { state: 'done', text: foundText(step) });
        }
      } catch (thrown) {
        if (stop.current.signal.aborted) return;
        const { message, hint } = toFailure(thrown);
        show(at, { state: 'failed', text: hint === undefined ? message : `${message} ${hint}` });
      }
      onStored();
    }
    isRunning.current = false;
  };

  const send = (added: readonly ChosenFile[]) => {
    queue.current.push(...added.map((chosen, i) => ({ at: count.current + i, chosen })));
    count.current += added.length;
    setUploads((all) => [...all, ...added.map(({ path }) => ({ path, state: 'waiting' as const, text: 'Waiting' }))]);
    work();
  };
  return { uploads, isRunning: uploads.some(({ state }) => state !== 'done' && state !== 'failed'), send };
}

const foundText = ({ chunks, pages }: { readonly chunks: number; readonly pages: number | null }): string =>
  pages === null ? things(chunks, 'passage') : `${things(chunks, 'passage')} on ${things(pages, 'page')}`;
