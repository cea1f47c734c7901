import { describe } from 'vitest';
import { annotationSuite } from './annotation-suite.ts';
import { durableSuite } from './durable-suite.ts';
import type { EngineUnderTest } from './engine-under-test.ts';
import { evidenceSuite } from './evidence-suite.ts';
import { foundSuite } from './found-suite.ts';
import { keywordSuite } from './keyword-suite.ts';
import { recordSuite } from './record-suite.ts';
import { retrieveSuite } from './retrieve-suite.ts';
import { durableSpaceSuite, spaceSuite } from './space-suite.ts';
import { vectorSuite } from './vector-suite.ts';

/** What every engine promises. An engine that is not durable leaves out the suites that open it again. */
export function engineSuite(subject: EngineUnderTest): void {
  describe(`the ${subject.name} engine`, () => {
    recordSuite(subject);
    annotationSuite(subject);
    keywordSuite(subject);
    vectorSuite(subject);
    retrieveSuite(subject);
    foundSuite(subject);
    evidenceSuite(subject);
    spaceSuite(subject);
    if (!subject.isDurable) return;
    durableSuite(subject);
    durableSpaceSuite(subject);
  });
}
