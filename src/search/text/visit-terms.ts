import { foldText } from './fold-text.ts';
import { type TermVisitor, visitIdentifierTerms } from './identifier-terms.ts';
import { visitTokens } from './tokens.ts';

/** Visits the terms of a text in the order of `analyze`. */
export function visitTerms(text: string, visit: TermVisitor): void {
  visitTokens(foldText(text), {
    identifier: (identifier) => visitIdentifierTerms(identifier, visit),
    term: (term) => visit(term, false),
  });
}
