/**
 * If the first result has less confidence, the answer says so to people and agents. Of a hundred errands that nothing in the
 * example catalog can do, 95 are below it or have no match (`test/golden/errands`).
 */
export const LOW_CONFIDENCE = 0.12;

/** What people and agents are shown of memories and documents, and people on the web page: below it, a hit is noise. */
export const MIN_SHOWN_CONFIDENCE = 0.01;
