// Sends every response: kept pages, files, what upstreams respond, redirects and errors. head.ts is the only writer of a
// head and decides who may keep a response. What is sent was decided before, as a Reply.

export { createCdnCaching } from './cdn.ts'
export { type ClosingConnections, createClosingConnections } from './closing-connections.ts'
export { createEntrySender, createForms, type EntrySender } from './entry.ts'
export { createErrorSender, type ErrorSender } from './error.ts'
export { createHeadWriter, type HeaderCauses, type HeadWriter, noteCauses } from './head.ts'
export { createPageResponder, pageOrBypass } from './page.ts'
export { asMiddleware, createReplySender } from './reply.ts'
export { createUpstreamResponseSender, type UpstreamResponseSender } from './upstream.ts'
