// What the commands `portico purge` and `portico why` do outside of a gateway: they read options, call its inner port
// with the stack's token, and print. Nothing of a serving gateway is loaded. The data of the inner port are in
// explanation.ts and purge-body.ts.

export { type CollectedLines, collectLines, type LogSource } from './collect-lines.ts'
export { type PurgeResult, purgeImages, purgePages, readCommandToken, sendQuestion } from './inner-call.ts'
export { readPurgeOptions } from './read-purge-options.ts'
export { readWhyOptions } from './read-why-options.ts'
export { renderExplanation } from './render-explanation.ts'
export { renderTimeline } from './render-timeline.ts'
export type { Paint } from './text-lines.ts'
