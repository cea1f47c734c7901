/** A file to send, and its path in the collection. */
export interface ChosenFile {
  readonly path: string;
  readonly file: File;
}

/** As a scan of a folder: names with a dot in front, and installed packages. */
const isSkipped = (name: string): boolean => name.startsWith('.') || name === 'node_modules' || name === '__pycache__';

/** Files that were dropped, and those inside dropped folders. Called while the drop is handled: its items are gone after that. */
export function droppedFiles(transfer: DataTransfer | null): Promise<readonly ChosenFile[]> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
  return Promise.all(entries.map((entry) => (entry === null ? [] : filesIn(entry)))).then((found) => found.flat());
}

async function filesIn(entry: FileSystemEntry): Promise<readonly ChosenFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ''), file }];
  }
  const found: ChosenFile[] = [];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const next = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  // It gives a part at a time, and nothing after the last.
  for (let part = await next(); part.length > 0; part = await next()) {
    for (const one of part) if (!isSkipped(one.name)) found.push(...(await filesIn(one)));
  }
  return found;
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
