/**
 * If the first result has less confidence, the answer says so to people and agents. Of a hundred errands that nothing in the
 * example catalog can do, 95 are below it or have no match (`test/golden/errands`).
 */
export const LOW_CONFIDENCE = 0.12;
