import type { OperationInput, OperationRequest } from '../contract.ts';
import type { OperationName } from '../routes/routes.ts';

/** One method as one operation: its arguments to a request, and back. */
export interface Call<Arguments extends readonly unknown[], N extends OperationName> {
  readonly operation: N;
  readonly toRequest: (...args: Arguments) => OperationRequest<N>;
  readonly toArguments: (input: OperationInput<N>) => Arguments;
  /** May take minutes: a large batch, or vectors that are computed before the answer. */
  readonly slow?: true;
}

type ArgumentsOf<Method> = Method extends (...args: infer Arguments) => unknown ? Arguments : never;

/** Every method of a service as one of these operations. */
export type Calls<Service, Names extends OperationName> = {
  readonly [M in keyof Service]: { [N in Names]: Call<ArgumentsOf<Service[M]>, N> }[Names];
};

/** Mappings that several methods share. */
export const NOTHING = { toRequest: () => ({}), toArguments: (): [] => [] };
export const BODY = {
  toRequest: <B>(body: B) => ({ body }),
  toArguments: <B>({ body }: { readonly body: B }): [B] => [body],
};
