/** The coordinates of a drawn graph. Apart from the layout, so that the drawing library is loaded only where it is used. */
export const WIDTH = 640;
export const HEIGHT = 320;
