import { foldText } from './fold-text.ts';
import { type TermVisitor, visitIdentifierTerms } from './identifier-terms.ts';
import { visitTokens } from './tokens.ts';

/** The terms of a text in order, as `analyze` gives them, with what is only a part of an identifier told apart. */
export function visitTerms(text: string, visit: TermVisitor): void {
  visitTokens(foldText(text), {
    identifier: (identifier) => visitIdentifierTerms(identifier, visit),
    term: (term) => visit(term, false),
  });
}
