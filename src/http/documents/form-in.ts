import { DowserError } from '../../model/errors/errors.ts';

export const isForm = (type: string): boolean => /^\s*multipart\/form-data/i.test(type);

/** The form in a body. Throws INVALID_REQUEST. */
export async function formIn(type: string, bytes: Uint8Array): Promise<FormData> {
  if (!isForm(type)) throw notForm();
  return new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } })
    .formData()
    .catch((cause: unknown) => {
      throw notForm(cause);
    });
}

const notForm = (cause?: unknown): DowserError =>
  new DowserError('INVALID_REQUEST', 'The body is not a form.', {
    field: 'file',
    hint: 'Send multipart/form-data with the file.',
    cause,
  });
