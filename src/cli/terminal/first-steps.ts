/** What to do with a registry that has nothing in it. */
export const FIRST_STEPS = 'Add something with `dowser add` or `dowser import`, or try `dowser examples load`.';
