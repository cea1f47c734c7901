import { gzipSync } from 'node:zlib';

export interface TarItem {
  readonly name: string;
  readonly body?: string | Uint8Array;
  /** The type flag: '0' a file, '2' a symbolic link, '5' a folder, 'x' a pax header, 'L' a GNU long name. Default '0'. */
  readonly type?: string;
  /** The size field as text, for archives that lie about it. Default: the size of the body, in octal. */
  readonly size?: string;
}

function headerOf(item: TarItem, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(item.name, 0, 100);
  header.write('0000644\0', 100);
  header.write(item.size ?? `${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(item.type ?? '0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** A tar archive for tests, made by hand so that odd entries can be made too. */
export function tarOf(items: readonly TarItem[]): Buffer {
  const parts = items.flatMap((item) => {
    const body = Buffer.from(item.body ?? '');
    return [headerOf(item, body.length), body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

export function tgzOf(items: readonly TarItem[]): Buffer {
  return gzipSync(tarOf(items));
}
