/**
 * A render that did not end for a cause which a later one may not have: a time limit, a part of the page that failed, a value
 * of the running site that the build lacks. The build leaves such a page to the first request; an error that the page
 * throws ends the build of an app of Next.js (X9).
 */
export class UnfinishedRender extends Error {}
