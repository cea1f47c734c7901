import { CHAT_PATH, UPLOAD_PATH } from '../../api/wire/document-streams.ts';
import { limitKey } from '../context/app-context.ts';
import type { SurfaceAnswer } from '../context/as-caller.ts';
import { answerChat } from '../documents/chat-route.ts';
import { readerOf } from '../documents/shared-reader.ts';
import { answerUpload } from '../documents/upload-route.ts';
import type { RouteParts } from './route-parts.ts';

/** Uploads of files, and questions that a model answers. */
export function addDocumentRoutes({ options, route, asCaller, reader: shared }: RouteParts): void {
  const upload: SurfaceAnswer = (c, { caller, documents, warningsOf }, body = new Uint8Array()) => {
    const reader = readerOf(limitKey(caller, c), shared);
    return answerUpload(c, { documents, warningsOf, reader, now: () => new Date() }, body);
  };
  route({ method: 'POST', path: UPLOAD_PATH }, asCaller('uploadFiles', 'write', 'any', upload));
  const chat: SurfaceAnswer = (c, { documents, warningsOf }, body = new Uint8Array()) =>
    answerChat(c, { documents, warningsOf, chat: options.chat ?? null }, body);
  route({ method: 'POST', path: CHAT_PATH }, asCaller('askCollection', 'read', 'any', chat));
}
